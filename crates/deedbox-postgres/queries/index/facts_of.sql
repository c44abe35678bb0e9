-- $1: subjects. Everything that was said of each, oldest first.
SELECT f.subject, f.block, f.log_index, f.tx, f.statement::text AS "statement!", b.hash, b.at
FROM index_facts AS f
JOIN index_blocks AS b ON b.registry = f.registry AND b.block = f.block
WHERE f.subject = ANY($1::bigint[])
ORDER BY f.subject, f.block, f.log_index
