-- $1: the memory; $2: the number before which to go on; $3: how many at most; $4: the space.
SELECT number, at, principal, actor, agent_label, instance_hash, operation, space, memory
FROM memory_accesses
WHERE memory = $1 AND number < $2 AND space = $4
ORDER BY number DESC
LIMIT $3
