-- ?1: a JSON array of [space, its members]: whoever is in it and not among them goes.
DELETE FROM space_members
WHERE (space, actor) IN (
    SELECT m.space, m.actor FROM json_each(?1) AS wanted
    CROSS JOIN space_members AS m ON m.space = wanted.value ->> 0
    WHERE m.actor NOT IN (SELECT value FROM json_each(wanted.value, '$[1]'))
)
