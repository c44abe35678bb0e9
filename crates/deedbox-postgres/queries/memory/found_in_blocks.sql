-- As found.sql, in the blocks of rows $4 only. They are a condition of their own, and the first: then the index begins at the first of these
-- rows, and leaps from each to the next that has the words. In the other order it goes through all rows before the first that fits.
SELECT row FROM memory_documents
WHERE words @@ $4::text::tsquery AND words @@ $1::text::tsquery AND row + 0 <= $2
ORDER BY row + 0 DESC
LIMIT $3
