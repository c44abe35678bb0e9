INSERT INTO documents (rowid, words) VALUES (?, ?)
