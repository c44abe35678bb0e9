-- $1 to $5: subjects with their entries; $6, $7: documents, and their words apart by spaces.
WITH subjects AS (
    INSERT INTO index_subjects (id, registry, key, entry, due)
    SELECT w.id, w.registry, w.key, w.entry::json, w.due
    FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::timestamptz[])
         AS w (id, registry, key, entry, due)
    ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, due = excluded.due
)
INSERT INTO index_documents (id, words)
SELECT w.id, array_to_tsvector(string_to_array(w.words, ' '))
FROM unnest($6::bigint[], $7::text[]) AS w (id, words)
ON CONFLICT (id) DO UPDATE SET words = excluded.words
