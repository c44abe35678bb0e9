-- ?1: a tool; ?2: a chain; ?3: a block's hash; ?4: how many at most.
SELECT
    d.stream, d.version, d.kind, d.body, d.at, d.principal, d.basis, d.agent_label, d.instance_hash, d.previous,
    d.hash
FROM evidence AS e
CROSS JOIN deeds AS d ON d.stream = 'evidence:' || e.id AND d.version = 1
WHERE e.tool = ?1 AND e.chain_id = ?2 AND e.block_hash = ?3
ORDER BY e.recorded_at DESC, e.id DESC
LIMIT ?4
