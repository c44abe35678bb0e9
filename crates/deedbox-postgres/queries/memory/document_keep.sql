-- $1: the row; $2: its words; $3: the edition of the program's words.
INSERT INTO memory_documents (row, words, edition)
VALUES ($1, array_to_tsvector($2::text[]), $3)
ON CONFLICT (row) DO UPDATE SET words = excluded.words, edition = excluded.edition
