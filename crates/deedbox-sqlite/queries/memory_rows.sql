-- ?1: a JSON array of memories. Their rows.
SELECT m.id, m.row AS "row!"
FROM json_each(?1) AS wanted
CROSS JOIN memories AS m ON m.id = wanted.value
