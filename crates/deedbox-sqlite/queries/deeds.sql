-- ?1, ?2: the stream and version after which to go on; ?3: how many at most.
SELECT stream, version, kind, body, at, principal, basis, agent_label, instance_hash, previous, hash
FROM deeds
WHERE (stream, version) > (?1, ?2)
ORDER BY stream, version
LIMIT ?3
