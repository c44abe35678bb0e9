-- ?1: a JSON array of evidence ids.
SELECT
    e.id, e.version, e.head_hash, e.head_at, e.tool, e.chain_id, e.block_number, e.block_hash, e.digest, e.task,
    e.recorded_at
FROM json_each(?1) AS wanted
CROSS JOIN evidence AS e ON e.id = wanted.value
