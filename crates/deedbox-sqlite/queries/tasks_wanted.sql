-- ?1: a JSON array of task ids.
SELECT
    t.id, t.version, t.head_hash, t.head_at, t.status, t.owner, t.injected_by, t.created_at, t.reserved_for,
    t.recipient_only, t.latest_acceptance, t.latest_completion, t.cited, t.bytes
FROM json_each(?1) AS wanted
CROSS JOIN tasks AS t ON t.id = wanted.value
