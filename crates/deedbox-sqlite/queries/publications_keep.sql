-- ?1: a JSON array of publications, each an array of the columns in this order, hashes and addresses in hex.
INSERT INTO publications (
    id, version, head_hash, head_at, operation, chain_id, account, nonce, recipient, call, status, max_fee_per_gas,
    max_priority_fee_per_gas, attempts, signed_at
)
SELECT
    p ->> 0, p ->> 1, unhex(p ->> 2), p ->> 3, p ->> 4, p ->> 5, unhex(p ->> 6), p ->> 7, unhex(p ->> 8),
    unhex(p ->> 9), p ->> 10, p ->> 11, p ->> 12, p ->> 13, p ->> 14
FROM (SELECT value AS p FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at,
    status = excluded.status,
    max_fee_per_gas = excluded.max_fee_per_gas,
    max_priority_fee_per_gas = excluded.max_priority_fee_per_gas,
    attempts = excluded.attempts
