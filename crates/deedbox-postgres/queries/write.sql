-- Deeds, where their tasks stand then, and which requests they answered.
WITH done AS (
    INSERT INTO deeds (stream, version, kind, body, at, principal, basis, agent_label,
                       instance_hash, previous_hash, hash)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::jsonb[], $5::timestamptz[],
                         $6::text[], $7::text[], $8::text[], $9::bytea[], $10::bytea[], $11::bytea[])
), stands AS (
    INSERT INTO tasks AS old (id, version, head_hash, head_at, status, owner, injected_by, created_at,
                              reserved_for, recipient_only, latest_acceptance, latest_completion,
                              cited, bytes)
    SELECT * FROM unnest($12::uuid[], $13::bigint[], $14::bytea[], $15::timestamptz[], $16::text[],
                         $17::text[], $18::text[], $19::timestamptz[], $20::text[], $21::boolean[],
                         $22::jsonb[], $23::jsonb[], $24::jsonb[], $25::bigint[])
    ON CONFLICT (id) DO UPDATE SET
        version = excluded.version, head_hash = excluded.head_hash, head_at = excluded.head_at,
        status = excluded.status, owner = excluded.owner, reserved_for = excluded.reserved_for,
        latest_acceptance = excluded.latest_acceptance,
        latest_completion = excluded.latest_completion,
        cited = excluded.cited, bytes = excluded.bytes
), recorded AS (
    INSERT INTO idempotency AS old (principal, key, request, stream, version, created_at)
    SELECT * FROM unnest($26::text[], $27::text[], $28::bytea[], $29::text[], $30::bigint[],
                         $31::timestamptz[])
    ON CONFLICT (principal, key) DO UPDATE SET
        request = excluded.request, stream = excluded.stream, version = excluded.version,
        created_at = excluded.created_at
        WHERE old.created_at <= $32
    RETURNING 1
)
SELECT count(*) AS "count!" FROM recorded
