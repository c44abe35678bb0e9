-- ?1: a space; ?2: how many. The words of its living memories, of those remembered last, as a JSON array of [row, words]: in one row, because each
-- row that is handed from SQLite's thread to another costs more than what is in it.
SELECT json_group_array(json_array(row, words)) AS "documents!: String"
FROM (
    SELECT d.row, d.words
    FROM memories AS m
    CROSS JOIN memory_documents AS d ON d.row = m.row
    WHERE m.space = ?1 AND m.status = 'live'
    ORDER BY m.created_at DESC, m.id DESC
    LIMIT ?2
)
