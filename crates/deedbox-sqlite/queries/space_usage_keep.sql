-- ?1: a JSON array of [space, memories, bytes].
INSERT INTO space_usage (space, memories, bytes)
SELECT u ->> 0, u ->> 1, u ->> 2
FROM (SELECT value AS u FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (space) DO UPDATE SET memories = excluded.memories, bytes = excluded.bytes
