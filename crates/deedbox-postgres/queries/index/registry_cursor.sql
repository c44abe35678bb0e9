-- $1, $2: a registry.
SELECT cursor::text AS "cursor!" FROM index_registries WHERE chain_id = $1 AND address = $2
