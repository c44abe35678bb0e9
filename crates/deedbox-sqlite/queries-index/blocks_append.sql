INSERT OR FAIL INTO blocks (registry, block, hash, at, first_fact) VALUES (?, ?, ?, ?, ?)
