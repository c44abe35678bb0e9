INSERT INTO subjects (id, registry, key, entry, due) VALUES (?, ?, ?, ?, ?)
