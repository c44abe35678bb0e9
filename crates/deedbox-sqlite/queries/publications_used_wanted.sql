-- ?1: a JSON array of [chain id, account in hex, nonce].
SELECT
    p.id, p.version, p.head_hash, p.head_at, p.operation, p.chain_id, p.account, p.nonce, p.recipient, p.call, p.status,
    p.max_fee_per_gas, p.max_priority_fee_per_gas, p.attempts, p.signed_at
FROM json_each(?1) AS wanted
CROSS JOIN publications AS p ON p.id = (
    SELECT id FROM publications INDEXED BY publications_nonces
    WHERE
        chain_id = wanted.value ->> 0 AND account = unhex(wanted.value ->> 1) AND nonce >= wanted.value ->> 2
        AND status <> 'open'
    ORDER BY nonce
    LIMIT 1
)
