-- ?1: a JSON array of registries, each an array of the columns in this order, hashes in hex.
INSERT INTO registry_decisions (
    id, version, head_hash, head_at, followed, standard, label, trust, from_block, seen, followed_at, pins
)
SELECT
    r ->> 0, r ->> 1, unhex(r ->> 2), r ->> 3, r ->> 4, r ->> 5, r ->> 6, r ->> 7, r ->> 8, r ->> 9, r ->> 10,
    r ->> 11
FROM (SELECT value AS r FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at,
    followed = excluded.followed,
    standard = excluded.standard,
    label = excluded.label,
    trust = excluded.trust,
    from_block = excluded.from_block,
    seen = excluded.seen,
    followed_at = excluded.followed_at,
    pins = excluded.pins
