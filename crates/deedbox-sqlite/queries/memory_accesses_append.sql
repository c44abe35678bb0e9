-- ?1: a JSON array of readings, each an array of the columns in this order, the hash in hex.
INSERT INTO memory_accesses (at, principal, actor, agent_label, instance_hash, operation, space, memory)
SELECT a ->> 0, a ->> 1, a ->> 2, a ->> 3, unhex(a ->> 4), a ->> 5, a ->> 6, a ->> 7
FROM (SELECT value AS a FROM json_each(?1) LIMIT -1)
