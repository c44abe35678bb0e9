-- Every operator key that was not revoked; whether it has expired is for the caller's clock to say.
SELECT
    id, version, head_hash, head_at, secret_hash, actor, scopes, label, agent_label, created_at, expires_at,
    revoked_at
FROM keys INDEXED BY keys_operator
WHERE actor IS NULL AND revoked_at IS NULL
