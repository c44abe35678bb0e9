-- $1 to $7: facts; $8 to $11: the blocks that they are of.
WITH blocks AS (
    INSERT INTO index_blocks (registry, block, hash, at)
    SELECT * FROM unnest($8::bigint[], $9::bigint[], $10::bytea[], $11::timestamptz[])
)
INSERT INTO index_facts (registry, block, log_index, subject, name, tx, statement)
SELECT w.registry, w.block, w.log_index, w.subject, w.name, w.tx, w.statement::json
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[], $7::text[])
     AS w (registry, block, log_index, subject, name, tx, statement)
