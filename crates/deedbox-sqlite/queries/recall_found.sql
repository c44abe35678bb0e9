-- ?1: what to look for; ?2: how many at most; ?3: the row above which they are. Rows, as a JSON array, the newest first.
SELECT json_group_array(found) AS "rows!: String"
FROM (
    SELECT w.rowid AS found
    FROM memory_words AS w
    WHERE w.memory_words MATCH ?1 AND w.rowid > ?3
    ORDER BY w.rowid DESC
    LIMIT ?2
)
