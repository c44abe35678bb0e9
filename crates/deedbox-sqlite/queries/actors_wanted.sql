-- ?1: a JSON array of actor ids.
SELECT a.id, a.version, a.head_hash, a.head_at, a.kind, a.name, a.created_at
FROM json_each(?1) AS wanted
CROSS JOIN actors AS a ON a.id = wanted.value
