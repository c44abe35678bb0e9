-- $1, $2: a registry; $3, $4: the first and the last key of subjects; $5: how many at most. The last fact of each.
SELECT f.block AS "block!", f.log_index AS "log_index!", f.tx AS "tx!", f.statement AS "statement!", b.hash, b.at
FROM index_registries AS r
JOIN index_subjects AS s ON s.registry = r.id AND s.key BETWEEN $3 AND $4
CROSS JOIN LATERAL (SELECT l.block, l.log_index, l.tx, l.statement::text AS statement FROM index_facts AS l
                    WHERE l.subject = s.id ORDER BY l.block DESC, l.log_index DESC LIMIT 1) AS f
JOIN index_blocks AS b ON b.registry = r.id AND b.block = f.block
WHERE r.chain_id = $1 AND r.address = $2
ORDER BY s.key
LIMIT $5
