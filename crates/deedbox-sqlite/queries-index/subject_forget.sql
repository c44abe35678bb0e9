-- ?1: the subject's id.
DELETE FROM subjects WHERE id = ?1
