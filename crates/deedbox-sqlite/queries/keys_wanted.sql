-- ?1: a JSON array of key ids.
SELECT
    k.id, k.version, k.head_hash, k.head_at, k.secret_hash, k.actor, k.scopes, k.label, k.agent_label,
    k.created_at, k.expires_at, k.revoked_at
FROM json_each(?1) AS wanted
CROSS JOIN keys AS k ON k.id = wanted.value
