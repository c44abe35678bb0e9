-- ?1: the registry's id; ?2: after which subject's key; ?3: how many at most.
SELECT id, entry AS "entry!" FROM subjects
WHERE registry = ?1 AND key > ?2 AND entry IS NOT NULL
ORDER BY key
LIMIT ?3
