-- $1: the row; $2: its words.
INSERT INTO memory_documents (row, words)
VALUES ($1, array_to_tsvector($2::text[]))
ON CONFLICT (row) DO UPDATE SET words = excluded.words
