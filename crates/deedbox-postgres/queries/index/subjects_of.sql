-- $1: subjects.
SELECT s.id AS "id!", s.key AS "key!", c.body::text AS "check?"
FROM unnest($1::bigint[]) AS w (id)
JOIN index_subjects AS s ON s.id = w.id
LEFT JOIN index_checks AS c ON c.subject = s.id
