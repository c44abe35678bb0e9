-- ?1: a JSON array of spaces' ids.
SELECT
    s.id, s.version, s.head_hash, s.head_at, s.name, s.owner, s.created_at,
    (SELECT json_group_array(o.actor) FROM space_members AS o WHERE o.space = s.id) AS "members!: String"
FROM json_each(?1) AS wanted
CROSS JOIN spaces AS s ON s.id = wanted.value
