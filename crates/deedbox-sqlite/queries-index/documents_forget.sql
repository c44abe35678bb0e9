-- ?1: a JSON array of row numbers.
DELETE FROM documents WHERE rowid IN (SELECT value FROM json_each(?1))
