-- $1: before when; $2: how many at most.
SELECT s.id, s.entry::text AS "entry!", c.body::text AS "check?"
FROM index_subjects AS s
LEFT JOIN index_checks AS c ON c.subject = s.id
WHERE s.due < $1
ORDER BY s.due, s.id
LIMIT $2
