-- ?1: a JSON array of [principal, key]; ?2: records made at this moment or before are forgotten. A row's
-- position is that of its pair in the array.
SELECT
    wanted.key + 0 AS "position!: i64", i.request,
    d.stream, d.version, d.kind, d.body, d.at, d.principal, d.basis, d.agent_label, d.instance_hash,
    d.previous, d.hash
FROM json_each(?1) AS wanted
CROSS JOIN idempotency AS i ON i.principal = wanted.value ->> 0 AND i.request_key = wanted.value ->> 1
CROSS JOIN deeds AS d ON d.stream = i.stream AND d.version = i.version
WHERE i.made_at > ?2
