-- ?1: the space after which to go on; ?2: how many at most.
SELECT space, memories, bytes
FROM space_usage
WHERE space > ?1
ORDER BY space
LIMIT ?2
