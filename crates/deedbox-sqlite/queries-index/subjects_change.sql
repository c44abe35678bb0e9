-- ?1: the subject's id; ?2: its card; ?3: its entry; ?4: when its check is due.
UPDATE subjects SET card = ?2, entry = ?3, due = ?4 WHERE id = ?1
