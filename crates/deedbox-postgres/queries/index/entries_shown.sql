-- $1: row numbers.
SELECT s.id AS "id!", s.entry::text AS "entry!", c.body::text AS "check?"
FROM index_subjects AS s
LEFT JOIN index_checks AS c ON c.subject = s.id
WHERE s.id = ANY($1::bigint[]) AND s.entry IS NOT NULL
