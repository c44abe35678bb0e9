-- ?1: the id after which to go on; ?2: how many at most.
SELECT
    id, version, head_hash, head_at, operation, chain_id, account, nonce, recipient, call, status, max_fee_per_gas,
    max_priority_fee_per_gas, attempts, signed_at
FROM publications
WHERE id > ?1
ORDER BY id
LIMIT ?2
