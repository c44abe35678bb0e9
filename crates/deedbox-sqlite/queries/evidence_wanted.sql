-- ?1: a JSON array of evidence streams.
SELECT d.stream
FROM json_each(?1) AS wanted
CROSS JOIN deeds AS d ON d.stream = wanted.value AND d.version = 1
