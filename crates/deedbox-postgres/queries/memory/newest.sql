-- $1: a space; $2: how many. The words of its living memories, of those remembered last.
SELECT d.row, array_to_string(tsvector_to_array(d.words), ' ') AS "words!"
FROM (
    SELECT row FROM memories WHERE space = $1 AND status = 'live' ORDER BY created_at DESC, id DESC LIMIT $2
) AS m
JOIN memory_documents AS d ON d.row = m.row
