-- ?1: a JSON array of row numbers.
SELECT s.id AS "id!", s.entry AS "entry!", c.body AS "check?"
FROM json_each(?1) AS wanted
CROSS JOIN subjects AS s ON s.id = wanted.value
LEFT JOIN checks AS c ON c.subject = s.id
WHERE s.entry IS NOT NULL
