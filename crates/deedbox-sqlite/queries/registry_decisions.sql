-- ?1: the id after which to go on; ?2: how many at most, or all of them when it is below zero.
SELECT
    id, version, head_hash, head_at, followed, standard, label, trust, from_block, seen, followed_at, pins
FROM registry_decisions
WHERE id > ?1
ORDER BY id
LIMIT ?2
