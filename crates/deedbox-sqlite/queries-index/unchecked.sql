-- ?1: before when; ?2: how many at most.
SELECT s.id, s.entry AS "entry!", c.body AS "check?"
FROM subjects AS s
LEFT JOIN checks AS c ON c.subject = s.id
WHERE s.due < ?1
ORDER BY s.due, s.id
LIMIT ?2
