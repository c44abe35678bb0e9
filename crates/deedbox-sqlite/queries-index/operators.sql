-- ?1: a registry; ?2, ?3: the first and the last key of subjects; ?4: how many at most. The last fact of each.
SELECT f.block, f.log_index, f.tx, f.statement, b.hash, b.at
FROM registries AS r
CROSS JOIN subjects AS s ON s.registry = r.id AND s.key BETWEEN ?2 AND ?3
CROSS JOIN facts AS f ON f.id = (SELECT l.id FROM facts AS l WHERE l.subject = s.id
                                 ORDER BY l.block DESC, l.log_index DESC LIMIT 1)
CROSS JOIN blocks AS b ON b.registry = r.id AND b.block = f.block
WHERE r.registry = ?1
ORDER BY s.key
LIMIT ?4
