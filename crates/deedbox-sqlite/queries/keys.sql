-- ?1: the id after which to go on; ?2: how many at most.
SELECT
    id, version, head_hash, head_at, secret_hash, actor, scopes, label, agent_label, created_at, expires_at,
    revoked_at
FROM keys
WHERE id > ?1
ORDER BY id
LIMIT ?2
