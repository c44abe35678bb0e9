-- ?1: a JSON array of rows. Long contents are cut.
SELECT
    m.id, m.version, m.head_hash, m.head_at, m.space, m.kind, m.todo_done, m.expires_at, m.status,
    m.created_at, m.updated_at, m.first_actor, m.first_principal, m.first_basis, m.first_label,
    m.first_instance, m.last_actor, m.last_principal, m.last_basis, m.last_label, m.last_instance,
    m.text_version, m.bytes, CASE WHEN length(t.text) > 8192 THEN json_set(t.text, '$.content', substr(t.text ->> 'content', 1, 8192)) ELSE t.text END AS "text?: String"
FROM json_each(?1) AS wanted
CROSS JOIN memories AS m ON m.row = wanted.value
CROSS JOIN memory_texts AS t ON t.memory = m.id AND t.version = m.text_version
WHERE m.status = 'live'
