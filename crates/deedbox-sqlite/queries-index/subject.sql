-- ?1: a registry; ?2: the key of a subject.
SELECT s.id, s.entry, c.body AS "check?"
FROM registries AS r
CROSS JOIN subjects AS s ON s.registry = r.id AND s.key = ?2
LEFT JOIN checks AS c ON c.subject = s.id
WHERE r.registry = ?1
