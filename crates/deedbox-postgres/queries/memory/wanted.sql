-- $1: memories.
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
WHERE m.id = ANY($1)
