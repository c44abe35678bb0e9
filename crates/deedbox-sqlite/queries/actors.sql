-- ?1: the id after which to go on; ?2: how many at most, or -1.
SELECT id, version, head_hash, head_at, kind, name, created_at FROM actors WHERE id > ?1 ORDER BY id LIMIT ?2
