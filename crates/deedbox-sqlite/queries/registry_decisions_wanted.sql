-- ?1: a JSON array of registries' ids.
SELECT
    r.id, r.version, r.head_hash, r.head_at, r.followed, r.standard, r.label, r.trust, r.from_block, r.seen,
    r.followed_at, r.pins
FROM json_each(?1) AS wanted
CROSS JOIN registry_decisions AS r ON r.id = wanted.value
