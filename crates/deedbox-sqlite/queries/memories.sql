-- ?1: the id after which to go on; ?2: how many at most. Without texts, but with what is left of one where there should be none.
SELECT
    m.id, m.version, m.head_hash, m.head_at, m.space, m.kind, m.todo_done, m.expires_at, m.status,
    m.created_at, m.updated_at, m.first_actor, m.first_principal, m.first_basis, m.first_label,
    m.first_instance, m.last_actor, m.last_principal, m.last_basis, m.last_label, m.last_instance,
    m.text_version, m.bytes, iif(m.text_version IS NULL, coalesce(m.path, m.key, m.tags, nullif(hex(m.digest), '')), NULL)
        AS "text?: String"
FROM memories AS m
WHERE m.id > ?1
ORDER BY m.id
LIMIT ?2
