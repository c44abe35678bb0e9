-- $1 to $6: subjects with their entries, and which of them are new; $7 to $10: documents, their words apart by spaces, their cards, and which of
-- them are new. What is new is simply added: to look first whether it is there costs as much again.
WITH w AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[], $5::timestamptz[], $6::boolean[])
                  AS w (id, registry, key, entry, due, new)
), d AS MATERIALIZED (
    SELECT id, array_to_tsvector(string_to_array(words, ' ')) AS words, card::json AS card, new
    FROM unnest($7::bigint[], $8::text[], $9::text[], $10::boolean[]) AS d (id, words, card, new)
), subjects AS (
    INSERT INTO index_subjects (id, registry, key, entry, due)
    SELECT id, registry, key, entry::json, due FROM w WHERE new
), changed AS (
    UPDATE index_subjects AS s SET entry = w.entry::json, due = w.due
    FROM w WHERE NOT w.new AND s.id = w.id
), documents AS (
    INSERT INTO index_documents (id, words, card) SELECT id, words, card FROM d WHERE new
)
INSERT INTO index_documents (id, words, card) SELECT id, words, card FROM d WHERE NOT new
ON CONFLICT (id) DO UPDATE SET words = excluded.words, card = excluded.card
