-- $1: an actor.
SELECT s.id, s.version, s.head_hash, s.head_at, s.name, s.owner, s.created_at,
       ARRAY(SELECT o.actor FROM space_members AS o WHERE o.space = s.id ORDER BY o.actor) AS "members!"
FROM space_members AS m
JOIN spaces AS s ON s.id = m.space
WHERE m.actor = $1
ORDER BY s.id
