-- ?1: the registry's id.
DELETE FROM documents WHERE rowid IN (SELECT id FROM subjects WHERE registry = ?1)
