-- ?1: the id after which to go on; ?2: how many at most.
SELECT
    id, version, head_hash, head_at, tool, chain_id, block_number, block_hash, digest, task, recorded_at
FROM evidence
WHERE id > ?1
ORDER BY id
LIMIT ?2
