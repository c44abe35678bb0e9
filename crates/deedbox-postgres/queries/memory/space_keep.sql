-- One space ($1 to $7) with its members ($8).
WITH stands AS (
    INSERT INTO spaces (id, version, head_hash, head_at, name, owner, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO UPDATE SET
        version = excluded.version, head_hash = excluded.head_hash, head_at = excluded.head_at
), gone AS (
    DELETE FROM space_members WHERE space = $1 AND actor <> ALL($8::text[])
)
INSERT INTO space_members (space, actor)
SELECT $1, unnest($8::text[])
ON CONFLICT DO NOTHING
