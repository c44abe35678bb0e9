-- ?1: a JSON array of spaces' ids.
SELECT u.space, u.memories, u.bytes
FROM json_each(?1) AS wanted
CROSS JOIN space_usage AS u ON u.space = wanted.value
