-- ?1: the number from which to read, ?2: the last; ?3, ?4: after which block and log; ?5: how many at most.
SELECT block, log_index, statement ->> '$.access_predicate' AS "predicate!: String"
FROM facts
WHERE id BETWEEN ?1 AND ?2 AND (block > ?3 OR log_index > ?4)
  AND name IN (x'72656769737465726564', x'6163636573735f707265646963617465') -- registered, access_predicate
  AND statement ->> '$.access_predicate' IS NOT NULL
ORDER BY id
LIMIT ?5
