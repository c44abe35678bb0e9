-- ?1: a registry; ?2: a block. The newest block up to that one in which the registry said something.
SELECT b.block, b.hash
FROM registries AS r
CROSS JOIN blocks AS b ON b.registry = r.id AND b.block <= ?2
WHERE r.registry = ?1
ORDER BY b.block DESC
LIMIT 1
