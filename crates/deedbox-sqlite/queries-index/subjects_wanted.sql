-- ?1: the registry's id; ?2: a JSON array of subjects' keys in hex.
SELECT s.id AS "id!", s.key AS "key!", s.entry, c.body AS "check?"
FROM json_each(?2) AS wanted
CROSS JOIN subjects AS s ON s.registry = ?1 AND s.key = unhex(wanted.value)
LEFT JOIN checks AS c ON c.subject = s.id
