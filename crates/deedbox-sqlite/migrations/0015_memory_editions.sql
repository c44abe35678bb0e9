-- By which edition of the program's functions the words of a memory were made: those of others are made anew when the file is opened.
ALTER TABLE memory_documents ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;

CREATE INDEX memory_documents_by_edition ON memory_documents (edition);
