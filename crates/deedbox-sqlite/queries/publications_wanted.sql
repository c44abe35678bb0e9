-- ?1: a JSON array of publication ids.
SELECT
    p.id, p.version, p.head_hash, p.head_at, p.operation, p.chain_id, p.account, p.nonce, p.recipient, p.call, p.status,
    p.max_fee_per_gas, p.max_priority_fee_per_gas, p.attempts, p.signed_at
FROM json_each(?1) AS wanted
CROSS JOIN publications AS p ON p.id = wanted.value
