-- ?1: the task; ?2, ?3: the place after which to go on; ?4: how many at most.
SELECT
    id, version, head_hash, head_at, tool, chain_id, block_number, block_hash, digest, task, recorded_at
FROM evidence
WHERE task = ?1 AND (recorded_at, id) < (?2, ?3)
ORDER BY recorded_at DESC, id DESC
LIMIT ?4
