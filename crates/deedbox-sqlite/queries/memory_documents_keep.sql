-- ?1: a JSON array of [row, its words]; ?2: the edition of the program's words.
INSERT INTO memory_documents (row, words, edition)
SELECT wanted.value ->> 0, wanted.value ->> 1, ?2
FROM json_each(?1) AS wanted
