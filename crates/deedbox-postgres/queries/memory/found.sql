-- $1: what to look up; $2: the newest row; $3: how many at most. `row + 0` keeps the planner from walking all rows in their order and
-- looking into each: only the index of words knows where to look.
SELECT row FROM memory_documents
WHERE words @@ $1::text::tsquery AND row + 0 <= $2
ORDER BY row + 0 DESC
LIMIT $3
