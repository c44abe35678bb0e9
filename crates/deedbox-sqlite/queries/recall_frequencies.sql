-- ?1: a JSON array of words, each as a query; ?2: the row after which rows are counted. Of each word, how many have it.
SELECT (
    SELECT count(*) FROM memory_words AS w WHERE w.memory_words MATCH wanted.value AND w.rowid > ?2
) AS "count!: i64"
FROM json_each(?1) AS wanted
