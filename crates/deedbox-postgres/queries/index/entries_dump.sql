-- $1, $2: a registry; $3: after which subject's key; $4: how many at most.
SELECT id, entry::text AS "entry!" FROM index_subjects
WHERE registry = (SELECT id FROM index_registries WHERE chain_id = $1 AND address = $2)
  AND key > $3 AND entry IS NOT NULL
ORDER BY key
LIMIT $4
