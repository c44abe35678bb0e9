-- ?1: a subject; ?2: a name; ?3, ?4: before which block and log; ?5: how many at most.
SELECT f.block, f.log_index, f.tx, f.statement, b.hash, b.at
FROM facts AS f CROSS JOIN blocks AS b ON b.registry = f.id >> 40 AND b.block = f.block
WHERE f.subject = ?1 AND f.name = ?2 AND (f.block, f.log_index) < (?3, ?4)
ORDER BY f.block DESC, f.log_index DESC
LIMIT ?5
