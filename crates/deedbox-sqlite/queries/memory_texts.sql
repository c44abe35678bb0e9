-- ?1, ?2: the memory and version after which to go on; ?3: how many at most. With what the memory's row has of the text that is its own now.
SELECT
    t.memory, t.version, t.salt, t.text, m.id IS NOT NULL AS "is_current!: bool", m.path, m.key, m.tags AS "tags?", m.digest AS "digest?"
FROM memory_texts AS t
LEFT JOIN memories AS m ON m.id = t.memory AND m.text_version = t.version
WHERE (t.memory, t.version) > (?1, ?2)
ORDER BY t.memory, t.version
LIMIT ?3
