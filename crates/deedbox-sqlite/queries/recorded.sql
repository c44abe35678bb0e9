-- ?1, ?2: the place after which to go on; ?3: how many at most.
SELECT
    id, version, head_hash, head_at, tool, chain_id, block_number, block_hash, digest, task, recorded_at
FROM evidence
WHERE (recorded_at, id) < (?1, ?2)
ORDER BY recorded_at DESC, id DESC
LIMIT ?3
