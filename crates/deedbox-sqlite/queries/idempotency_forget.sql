-- ?1: a moment; ?2: how many at most, so that no writer waits long behind this.
DELETE FROM idempotency
WHERE (principal, request_key) IN (
    SELECT principal, request_key FROM idempotency WHERE made_at < ?1 ORDER BY made_at LIMIT ?2
)
