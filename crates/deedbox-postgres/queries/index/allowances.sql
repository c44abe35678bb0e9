-- $1, $2: a registry; $3: the key of a subject; $4, $5: the first and the last name; $6: how many at most.
SELECT f.block, f.log_index, f.tx, f.statement::text AS "statement!", b.hash, b.at
FROM index_facts AS f
JOIN index_blocks AS b ON b.registry = f.registry AND b.block = f.block
WHERE f.subject = (SELECT s.id FROM index_registries AS r
                   JOIN index_subjects AS s ON s.registry = r.id AND s.key = $3
                   WHERE r.chain_id = $1 AND r.address = $2)
  AND f.name BETWEEN $4 AND $5
ORDER BY f.block DESC, f.log_index DESC
LIMIT $6
