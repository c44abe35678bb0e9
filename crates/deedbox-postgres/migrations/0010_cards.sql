-- What searches rank an entry by, as JSON and not looked into here, like entries; NULL for what has no entry. Programs that know no cards
-- leave it so, and what they filled is thrown away by the edition that does.
ALTER TABLE index_subjects ADD COLUMN card json;
