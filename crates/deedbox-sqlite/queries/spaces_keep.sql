-- ?1: a JSON array of spaces, each an array of the columns in this order, the hash in hex.
INSERT INTO spaces (id, version, head_hash, head_at, name, owner, created_at)
SELECT s ->> 0, s ->> 1, unhex(s ->> 2), s ->> 3, s ->> 4, s ->> 5, s ->> 6
FROM (SELECT value AS s FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at
