-- ?1: the number from which to read, ?2: the last; ?3, ?4: after which block and log; ?5: how many at most.
SELECT f.block, f.log_index, f.tx, f.statement, b.hash, b.at
FROM facts AS f CROSS JOIN blocks AS b ON b.registry = f.id >> 40 AND b.block = f.block
WHERE f.id BETWEEN ?1 AND ?2 AND (f.block > ?3 OR f.log_index > ?4)
ORDER BY f.id
LIMIT ?5
