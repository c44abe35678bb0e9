-- $1, $2: a registry; $3: before when; $4: how many at most. The registry is looked up first, so that its tools come in the index's order and
-- no more of them are read than are wanted.
SELECT s.id, s.entry::text AS "entry!", c.body::text AS "check?"
FROM index_subjects AS s
LEFT JOIN index_checks AS c ON c.subject = s.id
WHERE s.registry = (SELECT id FROM index_registries WHERE chain_id = $1 AND address = $2) AND s.due < $3
ORDER BY s.due, s.id
LIMIT $4
