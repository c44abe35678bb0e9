INSERT OR FAIL INTO subjects (id, registry, key, card, entry, due) VALUES (?, ?, ?, ?, ?, ?)
