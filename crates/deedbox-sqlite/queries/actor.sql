SELECT id, version, head_hash, head_at, kind, name, created_at FROM actors WHERE id = ?1
