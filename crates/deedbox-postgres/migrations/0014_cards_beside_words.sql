-- Cards stand beside the words by which searches come to them: of a candidate one row is read, and no long entry is passed over on the way. JSON
-- that is not looked into here, as before. The tables are filled anew for that: the edition says so.
ALTER TABLE index_subjects DROP COLUMN card;
ALTER TABLE index_documents ADD COLUMN card json;

-- Whoever writes documents has their words sorted in at the end of it, all at once; until then they may wait here (in kB).
ALTER INDEX index_documents_words SET (gin_pending_list_limit = 16384);
