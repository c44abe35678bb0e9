-- One memory, as the columns have it.
INSERT INTO memories (
       id, version, head_hash, head_at, space, kind, todo_done, expires_at, status, created_at, updated_at,
       first_actor, first_principal, first_basis, first_label, first_instance, last_actor, last_principal,
       last_basis, last_label, last_instance, text_version, bytes, path, key, tags, digest
)
VALUES (
       $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
       $23, $24, $25, $26, $27
)
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
RETURNING row
