-- Keys that begin with 1 are agents, with 2 tools.
SELECT registry, (SELECT count(*) FROM subjects AS s
                  WHERE s.registry = registries.id AND s.key >= x'01' AND s.key < x'03') AS "entries!: i64"
FROM registries
