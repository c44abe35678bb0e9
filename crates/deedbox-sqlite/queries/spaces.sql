-- ?1: the id after which to go on; ?2: how many at most.
SELECT
    s.id, s.version, s.head_hash, s.head_at, s.name, s.owner, s.created_at,
    (SELECT json_group_array(o.actor) FROM space_members AS o WHERE o.space = s.id) AS "members!: String"
FROM spaces AS s
WHERE s.id > ?1
ORDER BY s.id
LIMIT ?2
