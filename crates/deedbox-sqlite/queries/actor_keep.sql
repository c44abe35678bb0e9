INSERT INTO actors (id, version, head_hash, head_at, kind, name, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
