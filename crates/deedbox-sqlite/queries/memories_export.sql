-- ?1: the space; ?2: the id after which to go on; ?3: how many at most.
SELECT
    m.id, m.version, m.head_hash, m.head_at, m.space, m.kind, m.todo_done, m.expires_at, m.status,
    m.created_at, m.updated_at, m.first_actor, m.first_principal, m.first_basis, m.first_label,
    m.first_instance, m.last_actor, m.last_principal, m.last_basis, m.last_label, m.last_instance,
    m.text_version, m.bytes, t.text AS "text?"
FROM memories AS m
LEFT JOIN memory_texts AS t ON t.memory = m.id AND t.version = m.text_version
WHERE m.space = ?1 AND m.id > ?2
ORDER BY m.id
LIMIT ?3
