-- The last look at a registry's code, as JSON: every replica compares it with what was accepted.
ALTER TABLE index_registries ADD COLUMN look json;

-- Tools are checked registry by registry. `due` is when a tool's manifest has to be checked, -infinity when it was not yet, NULL when it
-- need not be. The tables are filled anew for that: the edition says so.
DROP INDEX index_subjects_due;
CREATE INDEX index_subjects_due ON index_subjects (registry, due, id) WHERE due IS NOT NULL;
