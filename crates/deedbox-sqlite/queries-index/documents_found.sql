-- ?1: what to look for; ?2: the newest row; ?3: how many at most.
SELECT s.id, s.entry AS "entry!", c.body AS "check?"
FROM documents AS d
CROSS JOIN subjects AS s ON s.id = d.rowid
LEFT JOIN checks AS c ON c.subject = s.id
WHERE d.documents MATCH ?1 AND d.rowid <= ?2
ORDER BY d.rowid DESC
LIMIT ?3
