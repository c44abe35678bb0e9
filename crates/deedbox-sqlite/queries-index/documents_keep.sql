-- ?1: a JSON object: words, by row numbers. One statement, however many there are: before each that writes several rows, SQLite has what was
-- added to the words so far written down, and all such pieces would be merged later.
INSERT INTO documents (rowid, words) SELECT CAST(key AS INTEGER), value FROM json_each(?1)
