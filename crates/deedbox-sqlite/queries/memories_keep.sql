-- ?1: a JSON array of memories, each an array of the columns in this order, hashes in hex.
INSERT INTO memories (
    id, version, head_hash, head_at, space, kind, todo_done, expires_at, status, created_at, updated_at,
    first_actor, first_principal, first_basis, first_label, first_instance, last_actor, last_principal,
    last_basis, last_label, last_instance, text_version, bytes, path, key, tags, digest
)
SELECT
    m ->> 0, m ->> 1, unhex(m ->> 2), m ->> 3, m ->> 4, m ->> 5, m ->> 6, m ->> 7, m ->> 8, m ->> 9, m ->> 10,
    m ->> 11, m ->> 12, m ->> 13, m ->> 14, unhex(m ->> 15), m ->> 16, m ->> 17, m ->> 18, m ->> 19,
    unhex(m ->> 20), m ->> 21, m ->> 22, m ->> 23, m ->> 24, m ->> 25, unhex(m ->> 26)
FROM (SELECT value AS m FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at,
    kind = excluded.kind,
    todo_done = excluded.todo_done,
    expires_at = excluded.expires_at,
    status = excluded.status,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at,
    first_actor = excluded.first_actor,
    first_principal = excluded.first_principal,
    first_basis = excluded.first_basis,
    first_label = excluded.first_label,
    first_instance = excluded.first_instance,
    last_actor = excluded.last_actor,
    last_principal = excluded.last_principal,
    last_basis = excluded.last_basis,
    last_label = excluded.last_label,
    last_instance = excluded.last_instance,
    text_version = excluded.text_version,
    bytes = excluded.bytes,
    path = excluded.path,
    key = excluded.key,
    tags = excluded.tags,
    digest = excluded.digest
