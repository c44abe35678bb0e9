-- One reading ($1 to $6), and what was shown: memories ($8), each in its space ($7).
INSERT INTO memory_accesses (at, principal, actor, agent_label, instance_hash, operation, space, memory)
SELECT $1, $2, $3, $4, $5, $6, shown.space, shown.memory
FROM unnest($7::text[], $8::uuid[]) WITH ORDINALITY AS shown (space, memory, place)
ORDER BY shown.place
