-- ?1: a JSON array of pieces of evidence, each an array of the columns in this order, hashes in hex.
INSERT INTO evidence (
    id, version, head_hash, head_at, tool, chain_id, block_number, block_hash, digest, task, recorded_at
)
SELECT
    e ->> 0, e ->> 1, unhex(e ->> 2), e ->> 3, e ->> 4, e ->> 5, e ->> 6, unhex(e ->> 7), unhex(e ->> 8), e ->> 9,
    e ->> 10
FROM (SELECT value AS e FROM json_each(?1) LIMIT -1)
