INSERT OR FAIL INTO facts (id, subject, name, block, log_index, tx, statement) VALUES (?, ?, ?, ?, ?, ?, ?)
