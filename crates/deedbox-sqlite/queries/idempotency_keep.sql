-- ?1: a JSON array of records, each an array of the columns in this order, the hash in hex. A record that is
-- there already is one that has expired.
INSERT INTO idempotency (principal, request_key, request, stream, version, made_at)
SELECT i ->> 0, i ->> 1, unhex(i ->> 2), i ->> 3, i ->> 4, i ->> 5
FROM (SELECT value AS i FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (principal, request_key) DO UPDATE SET
    request = excluded.request,
    stream = excluded.stream,
    version = excluded.version,
    made_at = excluded.made_at
