-- ?1: what to look for; ?2: how many at most.
SELECT w.rowid AS "row!: i64"
FROM memory_words AS w
WHERE w.memory_words MATCH ?1
ORDER BY w.rowid DESC
LIMIT ?2
