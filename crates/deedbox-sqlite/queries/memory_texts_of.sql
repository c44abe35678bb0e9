-- ?1: a memory.
SELECT version, salt, text
FROM memory_texts
WHERE memory = ?1
ORDER BY version
