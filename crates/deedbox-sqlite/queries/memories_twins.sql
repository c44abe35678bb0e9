-- ?1: a JSON array of [space, kind, digest in hex]: for each the oldest living memory with that content.
SELECT
    m.id, m.version, m.head_hash, m.head_at, m.space, m.kind, m.todo_done, m.expires_at, m.status,
    m.created_at, m.updated_at, m.first_actor, m.first_principal, m.first_basis, m.first_label,
    m.first_instance, m.last_actor, m.last_principal, m.last_basis, m.last_label, m.last_instance,
    m.text_version, m.bytes, t.text AS "text?"
FROM json_each(?1) AS wanted
CROSS JOIN memories AS m ON m.row = (
    SELECT o.row FROM memories AS o INDEXED BY memories_twins
    WHERE o.space = wanted.value ->> 0 AND o.kind = wanted.value ->> 1 AND o.digest = unhex(wanted.value ->> 2)
        AND o.status = 'live'
    ORDER BY o.created_at, o.id
    LIMIT 1
)
LEFT JOIN memory_texts AS t ON t.memory = m.id AND t.version = m.text_version
