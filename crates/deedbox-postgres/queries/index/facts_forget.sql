-- $1: the registry's id; $2: the first block to forget. Of whom its facts spoke.
WITH blocks AS (
    DELETE FROM index_blocks WHERE registry = $1 AND block >= $2
), facts AS (
    DELETE FROM index_facts WHERE registry = $1 AND block >= $2 RETURNING subject
)
SELECT DISTINCT subject AS "subject!" FROM facts
