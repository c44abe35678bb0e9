-- ?1, ?2: the place after which to go on; ?3: a chain or null; ?4: an account or null; ?5: how many at most.
SELECT
    id, version, head_hash, head_at, operation, chain_id, account, nonce, recipient, call, status, max_fee_per_gas,
    max_priority_fee_per_gas, attempts, signed_at
FROM publications
WHERE (signed_at, id) < (?1, ?2) AND (?3 IS NULL OR chain_id = ?3) AND (?4 IS NULL OR account = ?4)
ORDER BY signed_at DESC, id DESC
LIMIT ?5
