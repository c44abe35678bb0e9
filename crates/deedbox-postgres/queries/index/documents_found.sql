-- $1: what to look up; $2: the newest row; $3: how many at most; $4: what else has to be true of them. `id + 0` keeps the planner from
-- walking all rows in their order and looking into each: only the index of words knows where to look. $4 is asked of the rows that were
-- found, by a function that no index answers: words that nearly all rows have cost more to look up than to look at.
SELECT id, card::text AS "card!" FROM index_documents
WHERE words @@ $1::text::tsquery AND ts_match_vq(words, $4::text::tsquery) AND id + 0 <= $2
ORDER BY id + 0 DESC
LIMIT $3
