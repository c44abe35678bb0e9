-- ?1: the id after which to go on; ?2: how many at most.
SELECT
    id, version, head_hash, head_at, status, owner, injected_by, created_at, reserved_for, recipient_only,
    latest_acceptance, latest_completion, cited, bytes
FROM tasks
WHERE id > ?1
ORDER BY id
LIMIT ?2
