-- $1, $2: a registry.
SELECT
    (SELECT count(*) FROM index_facts AS f WHERE f.registry = r.id) AS "facts!",
    (SELECT count(*) FROM index_subjects AS s WHERE s.registry = r.id AND s.entry IS NOT NULL) AS "entries!"
FROM index_registries AS r
WHERE r.chain_id = $1 AND r.address = $2
