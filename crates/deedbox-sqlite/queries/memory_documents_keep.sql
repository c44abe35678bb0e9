-- ?1: a JSON array of [memory, its words].
INSERT INTO memory_documents (row, words)
SELECT m.row, wanted.value ->> 1
FROM json_each(?1) AS wanted
CROSS JOIN memories AS m ON m.id = wanted.value ->> 0
