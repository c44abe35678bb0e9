-- $1: the id after which to go on; $2: how many at most.
SELECT s.id, s.version, s.head_hash, s.head_at, s.name, s.owner, s.created_at,
       ARRAY(SELECT o.actor FROM space_members AS o WHERE o.space = s.id ORDER BY o.actor) AS "members!"
FROM spaces AS s
WHERE s.id > $1
ORDER BY s.id
LIMIT $2
