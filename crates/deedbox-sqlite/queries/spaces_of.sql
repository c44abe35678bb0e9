-- ?1: an actor.
SELECT
    s.id, s.version, s.head_hash, s.head_at, s.name, s.owner, s.created_at,
    (SELECT json_group_array(o.actor) FROM space_members AS o WHERE o.space = s.id) AS "members!: String"
FROM space_members AS m
CROSS JOIN spaces AS s ON s.id = m.space
WHERE m.actor = ?1
ORDER BY m.space
