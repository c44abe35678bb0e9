-- ?1, ?2: the place after which to go on; ?3: how many at most.
SELECT
    t.status,
    d.stream, d.version, d.kind, d.body, d.at, d.principal, d.basis, d.agent_label, d.instance_hash, d.previous,
    d.hash
FROM tasks AS t
CROSS JOIN deeds AS d ON d.stream = 'task:' || t.id AND d.version = 1
WHERE t.owner IS NULL AND (t.created_at, t.id) < (?1, ?2)
ORDER BY t.created_at DESC, t.id DESC
LIMIT ?3
