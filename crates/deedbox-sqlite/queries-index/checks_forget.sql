-- ?1: the registry's id.
DELETE FROM checks WHERE subject IN (SELECT id FROM subjects WHERE registry = ?1)
