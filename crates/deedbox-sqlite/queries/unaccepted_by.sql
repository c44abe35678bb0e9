-- ?1: the creator; ?2, ?3: the place after which to go on; ?4: how many at most.
SELECT
    t.status,
    d.stream, d.version, d.kind, d.body, d.at, d.principal, d.basis, d.agent_label, d.instance_hash, d.previous,
    d.hash
FROM tasks AS t
CROSS JOIN deeds AS d ON d.stream = 'task:' || t.id AND d.version = 1
WHERE t.owner IS NULL AND t.injected_by = ?1 AND (t.created_at, t.id) < (?2, ?3)
ORDER BY t.created_at DESC, t.id DESC
LIMIT ?4
