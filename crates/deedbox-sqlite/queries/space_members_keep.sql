-- ?1: a JSON array of [space, its members].
INSERT INTO space_members (space, actor)
SELECT wanted.value ->> 0, member.value
FROM json_each(?1) AS wanted
CROSS JOIN json_each(wanted.value, '$[1]') AS member
WHERE true
ON CONFLICT DO NOTHING
