SELECT stream, version, kind, body, at, principal, basis, agent_label, instance_hash, previous, hash
FROM deeds
WHERE stream = ?1
ORDER BY version
