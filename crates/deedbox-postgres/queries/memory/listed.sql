-- $1: the space; $2: the status; $3, $4: the place after which to go on; $5: how many at most; the others are filters, NULL for none:
-- $6: the kind; $7, $8: a path, and the end of what is below it; $9: a tag; $10: the key; $11: a label; $12: an instance; $13: the
-- author; $14: a moment, with $15: whether those that had expired then are wanted, or the others.
SELECT
       m.id AS "id!", m.version AS "version!", m.head_hash AS "head_hash!", m.head_at AS "head_at!",
       m.space AS "space!", m.kind AS "kind!", m.todo_done AS "todo_done!", m.expires_at AS "expires_at?",
       m.status AS "status!", m.created_at AS "created_at!", m.updated_at AS "updated_at!",
       m.first_actor AS "first_actor?", m.first_principal AS "first_principal!",
       m.first_basis AS "first_basis!", m.first_label AS "first_label?", m.first_instance AS "first_instance?",
       m.last_actor AS "last_actor?", m.last_principal AS "last_principal!", m.last_basis AS "last_basis!",
       m.last_label AS "last_label?", m.last_instance AS "last_instance?", m.text_version AS "text_version?",
       m.bytes AS "bytes!", t.text AS "text?"
FROM memories AS m
LEFT JOIN memory_texts AS t ON t.memory = m.id AND t.version = m.text_version
WHERE m.space = $1 AND m.status = $2 AND (m.created_at, m.id) < ($3, $4)
    AND ($6::text IS NULL OR m.kind = $6)
    AND ($7::text IS NULL OR m.path = $7 OR (m.path > $7 || '/' AND m.path < $8::text))
    AND ($9::text IS NULL OR $9 = ANY(m.tags))
    AND ($10::text IS NULL OR m.key = $10)
    AND ($11::text IS NULL OR m.first_label = $11 OR m.last_label = $11)
    AND ($12::bytea IS NULL OR m.first_instance = $12 OR m.last_instance = $12)
    AND ($13::text IS NULL OR m.first_actor = $13)
    AND ($14::timestamptz IS NULL OR (m.expires_at IS NOT NULL AND m.expires_at <= $14) = $15::boolean)
ORDER BY m.created_at DESC, m.id DESC
LIMIT $5
