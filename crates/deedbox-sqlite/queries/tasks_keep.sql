-- ?1: a JSON array of tasks, each an array of the columns in this order, hashes in hex.
INSERT INTO tasks (
    id, version, head_hash, head_at, status, owner, injected_by, created_at, reserved_for, recipient_only,
    latest_acceptance, latest_completion, cited, bytes
)
SELECT
    t ->> 0, t ->> 1, unhex(t ->> 2), t ->> 3, t ->> 4, t ->> 5, t ->> 6, t ->> 7, t ->> 8, t ->> 9,
    t ->> 10, t ->> 11, t ->> 12, t ->> 13
FROM (SELECT value AS t FROM json_each(?1) LIMIT -1)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    version = excluded.version,
    head_hash = excluded.head_hash,
    head_at = excluded.head_at,
    status = excluded.status,
    owner = excluded.owner,
    reserved_for = excluded.reserved_for,
    latest_acceptance = excluded.latest_acceptance,
    latest_completion = excluded.latest_completion,
    cited = excluded.cited,
    bytes = excluded.bytes
