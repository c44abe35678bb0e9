-- $1: a subject; $2: the check; $3, $4: the document that was served and its hash, or none.
WITH served AS (
    INSERT INTO index_manifests (hash, bytes) SELECT $4, $3 WHERE $4::bytea IS NOT NULL
    ON CONFLICT (hash) DO NOTHING
)
INSERT INTO index_checks (subject, body) VALUES ($1, $2::text::json)
ON CONFLICT (subject) DO UPDATE SET body = excluded.body
