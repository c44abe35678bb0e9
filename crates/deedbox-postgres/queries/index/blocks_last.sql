-- $1, $2: a registry; $3: a block. The newest block up to that one in which the registry said something.
SELECT block, hash FROM index_blocks
WHERE registry = (SELECT id FROM index_registries WHERE chain_id = $1 AND address = $2)
  AND block <= $3
ORDER BY block DESC
LIMIT 1
