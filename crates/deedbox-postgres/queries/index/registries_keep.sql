-- $1: registries' ids; $2: their cursors.
UPDATE index_registries AS r SET cursor = w.cursor::json
FROM unnest($1::bigint[], $2::text[]) AS w (id, cursor)
WHERE r.id = w.id
