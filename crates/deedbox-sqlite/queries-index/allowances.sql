-- ?1: a subject; ?2, ?3: the first and the last name; ?4: how many at most.
SELECT f.block, f.log_index, f.tx, f.statement, b.hash, b.at
FROM facts AS f CROSS JOIN blocks AS b ON b.registry = f.id >> 40 AND b.block = f.block
WHERE f.subject = ?1 AND f.name BETWEEN ?2 AND ?3
ORDER BY f.block DESC, f.log_index DESC
LIMIT ?4
