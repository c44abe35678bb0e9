-- ?1: a JSON array of [row, its words].
INSERT INTO memory_words (rowid, words)
SELECT wanted.value ->> 0, wanted.value ->> 1
FROM json_each(?1) AS wanted
