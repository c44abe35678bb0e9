-- ?1: a registry; ?2: before when; ?3: how many at most.
SELECT s.id, s.entry AS "entry!", c.body AS "check?"
FROM registries AS r
JOIN subjects AS s ON s.registry = r.id
LEFT JOIN checks AS c ON c.subject = s.id
WHERE r.registry = ?1 AND s.due < ?2
ORDER BY s.due, s.id
LIMIT ?3
