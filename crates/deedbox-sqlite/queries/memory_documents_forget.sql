-- ?1: a JSON array of memories.
DELETE FROM memory_documents
WHERE row IN (SELECT m.row FROM json_each(?1) AS wanted CROSS JOIN memories AS m ON m.id = wanted.value)
