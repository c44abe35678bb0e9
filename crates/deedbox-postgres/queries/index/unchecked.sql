-- $1, $2: a registry; $3: before when; $4: how many at most.
SELECT s.id, s.entry::text AS "entry!", c.body::text AS "check?"
FROM index_registries AS r
JOIN index_subjects AS s ON s.registry = r.id
LEFT JOIN index_checks AS c ON c.subject = s.id
WHERE r.chain_id = $1 AND r.address = $2 AND s.due < $3
ORDER BY s.due, s.id
LIMIT $4
