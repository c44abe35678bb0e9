-- ?1: the registry's id.
DELETE FROM subjects WHERE registry = ?1
