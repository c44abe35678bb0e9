-- ?1: the space; ?2: the status; ?3, ?4: the place after which to go on; ?5: how many at most; the others are filters, NULL for none:
-- ?6: the kind; ?7, ?8: a path, and the end of what is below it; ?9: a tag; ?10: the key; ?11: a label; ?12: an instance; ?13: the
-- author; ?14: a moment, with ?15: whether those that had expired then are wanted, or the others.
SELECT
    m.id, m.version, m.head_hash, m.head_at, m.space, m.kind, m.todo_done, m.expires_at, m.status,
    m.created_at, m.updated_at, m.first_actor, m.first_principal, m.first_basis, m.first_label,
    m.first_instance, m.last_actor, m.last_principal, m.last_basis, m.last_label, m.last_instance,
    m.text_version, m.bytes, t.text AS "text?"
FROM memories AS m
LEFT JOIN memory_texts AS t ON t.memory = m.id AND t.version = m.text_version
WHERE m.space = ?1 AND m.status = ?2 AND (m.created_at, m.id) < (?3, ?4)
    AND (?6 IS NULL OR m.kind = ?6)
    AND (?7 IS NULL OR m.path = ?7 OR (m.path > ?7 || '/' AND m.path < ?8))
    AND (?9 IS NULL OR EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?9))
    AND (?10 IS NULL OR m.key = ?10)
    AND (?11 IS NULL OR m.first_label = ?11 OR m.last_label = ?11)
    AND (?12 IS NULL OR m.first_instance = ?12 OR m.last_instance = ?12)
    AND (?13 IS NULL OR m.first_actor = ?13)
    AND (?14 IS NULL OR (m.expires_at IS NOT NULL AND m.expires_at <= ?14) = ?15)
ORDER BY m.created_at DESC, m.id DESC
LIMIT ?5
