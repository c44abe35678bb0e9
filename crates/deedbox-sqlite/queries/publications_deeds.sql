-- ?1: a JSON array of streams.
SELECT
    d.stream, d.version, d.kind, d.body, d.at, d.principal, d.basis, d.agent_label, d.instance_hash, d.previous, d.hash
FROM json_each(?1) AS wanted
CROSS JOIN deeds AS d ON d.stream = wanted.value
