-- ?1: a JSON array of deeds, each an array of the columns in this order, hashes in hex. One statement for the
-- whole group: a statement costs a trip to the connection's thread and back.
INSERT INTO deeds (stream, version, kind, body, at, principal, basis, agent_label, instance_hash, previous, hash)
SELECT
    d ->> 0, d ->> 1, d ->> 2, d ->> 3, d ->> 4, d ->> 5, d ->> 6, d ->> 7,
    unhex(d ->> 8), unhex(d ->> 9), unhex(d ->> 10)
FROM (SELECT value AS d FROM json_each(?1) LIMIT -1)
