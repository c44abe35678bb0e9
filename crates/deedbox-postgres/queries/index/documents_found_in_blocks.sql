-- As documents_found.sql, in the blocks of rows $5 only. They are a condition of their own, and the first: then the index begins at the first of
-- these rows, and leaps from each to the next that has all words of $1. In the other order it goes through all rows before the first that fits.
SELECT id, card::text AS "card!" FROM index_documents
WHERE words @@ $5::text::tsquery AND words @@ $1::text::tsquery AND ts_match_vq(words, $4::text::tsquery) AND id + 0 <= $2
ORDER BY id + 0 DESC
LIMIT $3
