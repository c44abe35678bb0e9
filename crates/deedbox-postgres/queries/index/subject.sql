-- $1, $2: a registry; $3: the key of a subject.
SELECT s.id, s.registry, s.entry::text AS "entry!", c.body::text AS "check?"
FROM index_registries AS r
JOIN index_subjects AS s ON s.registry = r.id AND s.key = $3
LEFT JOIN index_checks AS c ON c.subject = s.id
WHERE r.chain_id = $1 AND r.address = $2 AND s.entry IS NOT NULL
