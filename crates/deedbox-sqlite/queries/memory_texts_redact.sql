-- ?1: a JSON array of [memory, version]: the texts of the memory before that version go.
DELETE FROM memory_texts
WHERE rowid IN (
    SELECT t.rowid FROM json_each(?1) AS wanted
    CROSS JOIN memory_texts AS t ON t.memory = wanted.value ->> 0 AND t.version < wanted.value ->> 1
)
