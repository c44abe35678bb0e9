-- ?1: what to look for; ?2: the newest row; ?3: how many at most.
SELECT s.id, s.card AS "card!"
FROM documents AS d
CROSS JOIN subjects AS s ON s.id = d.rowid
WHERE d.documents MATCH ?1 AND d.rowid <= ?2
ORDER BY d.rowid DESC
LIMIT ?3
