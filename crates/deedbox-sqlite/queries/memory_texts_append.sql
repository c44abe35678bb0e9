-- ?1: a JSON array of texts, each an array of the columns in this order, the salt in hex.
INSERT INTO memory_texts (memory, version, salt, text)
SELECT t ->> 0, t ->> 1, unhex(t ->> 2), t ->> 3
FROM (SELECT value AS t FROM json_each(?1) LIMIT -1)
