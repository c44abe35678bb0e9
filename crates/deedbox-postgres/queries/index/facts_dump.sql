-- $1, $2: a registry; $3, $4: after which block and log; $5: how many at most.
WITH f AS MATERIALIZED (
    SELECT * FROM index_facts
    WHERE registry = (SELECT id FROM index_registries WHERE chain_id = $1 AND address = $2)
      AND (block, log_index) > ($3, $4)
    ORDER BY block, log_index
    LIMIT $5
)
SELECT f.block, f.log_index, f.tx, f.statement::text AS "statement!", b.hash, b.at
FROM f
JOIN index_blocks AS b ON b.registry = f.registry AND b.block = f.block
ORDER BY f.block, f.log_index
