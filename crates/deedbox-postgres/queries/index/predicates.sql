-- $1, $2: a registry; $3, $4: after which block and log; $5: how many at most.
SELECT block, log_index, statement ->> 'access_predicate' AS "predicate!"
FROM index_facts
WHERE registry = (SELECT id FROM index_registries WHERE chain_id = $1 AND address = $2)
  AND (block, log_index) > ($3, $4)
  AND name IN ('registered', 'access_predicate')
  AND statement ->> 'access_predicate' IS NOT NULL
ORDER BY block, log_index
LIMIT $5
