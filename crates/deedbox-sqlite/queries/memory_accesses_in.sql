-- ?1: the space; ?2: the number before which to go on; ?3: how many at most.
SELECT number, at, principal, actor, agent_label, instance_hash, operation, space, memory
FROM memory_accesses
WHERE space = ?1 AND number < ?2
ORDER BY number DESC
LIMIT ?3
