-- $1: rows; $2: the words of each, with a space between each two; $3: the edition of the program's words.
UPDATE memory_documents AS d
SET words = array_to_tsvector(string_to_array(renewed.words, ' ')), edition = $3
FROM unnest($1::bigint[], $2::text[]) AS renewed (row, words)
WHERE d.row = renewed.row
