-- ?1: an edition; ?2: how many at most. Memories whose words are another edition's.
SELECT m.id
FROM memory_documents AS d
CROSS JOIN memories AS m ON m.row = d.row
WHERE d.edition < ?1 OR d.edition > ?1
LIMIT ?2
