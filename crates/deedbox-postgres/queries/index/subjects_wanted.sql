-- $1: registries' ids; $2: keys of subjects in them. New subjects get their row numbers here.
SELECT w.registry AS "registry!", w.key AS "key!", coalesce(s.id, nextval('index_subjects_id')) AS "id!",
       s.id IS NULL AS "new!", s.entry::text AS "entry?", c.body::text AS "check?"
FROM unnest($1::bigint[], $2::bytea[]) AS w (registry, key)
LEFT JOIN index_subjects AS s ON s.registry = w.registry AND s.key = w.key
LEFT JOIN index_checks AS c ON c.subject = s.id
