-- ?1: the subject's id; ?2: its entry; ?3: when its check is due.
UPDATE subjects SET entry = ?2, due = ?3 WHERE id = ?1
