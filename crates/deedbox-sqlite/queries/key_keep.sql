INSERT INTO keys (
    id, version, head_hash, head_at, secret_hash, actor, scopes, label, agent_label, created_at, expires_at,
    revoked_at
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at,
    revoked_at = excluded.revoked_at
