-- ?1: a JSON array of [memory, version]: the texts of the memory before that version go.
DELETE FROM memory_texts
WHERE rowid IN (
    SELECT t.rowid FROM json_each(?1) AS gone
    CROSS JOIN memory_texts AS t ON t.memory = gone.value ->> 0 AND t.version < gone.value ->> 1
)
