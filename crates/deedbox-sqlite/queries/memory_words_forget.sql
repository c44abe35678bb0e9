-- ?1: a JSON array of memories. The first of two steps: the index needs the words to find them.
INSERT INTO memory_words (memory_words, rowid, words)
SELECT 'delete', d.row, d.words
FROM json_each(?1) AS wanted
CROSS JOIN memories AS m ON m.id = wanted.value
CROSS JOIN memory_documents AS d ON d.row = m.row
