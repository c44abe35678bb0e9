SELECT
    id, version, head_hash, head_at, secret_hash, actor, scopes, label, agent_label, created_at, expires_at,
    revoked_at
FROM keys INDEXED BY keys_by_age
ORDER BY created_at, id
