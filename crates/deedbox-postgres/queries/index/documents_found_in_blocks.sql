-- As documents_found.sql, in the blocks of rows $5 only. They are a condition of their own: then the index leaps from the first of these rows to
-- the next that has all words of $1, and does not go through those in other blocks.
SELECT id, card::text AS "card!" FROM index_documents
WHERE words @@ $1::text::tsquery AND words @@ $5::text::tsquery AND ts_match_vq(words, $4::text::tsquery) AND id + 0 <= $2
ORDER BY id + 0 DESC
LIMIT $3
