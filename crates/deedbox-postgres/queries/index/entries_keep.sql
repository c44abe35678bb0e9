-- $1 to $6: subjects with their cards and entries; $7, $8: documents, and their words apart by spaces.
WITH subjects AS (
    INSERT INTO index_subjects (id, registry, key, card, entry, due)
    SELECT w.id, w.registry, w.key, w.card::json, w.entry::json, w.due
    FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::timestamptz[])
         AS w (id, registry, key, card, entry, due)
    ON CONFLICT (id) DO UPDATE SET card = excluded.card, entry = excluded.entry, due = excluded.due
)
INSERT INTO index_documents (id, words)
SELECT w.id, array_to_tsvector(string_to_array(w.words, ' '))
FROM unnest($7::bigint[], $8::text[]) AS w (id, words)
ON CONFLICT (id) DO UPDATE SET words = excluded.words
