SELECT cursor::text AS "cursor!" FROM index_registries ORDER BY chain_id, address
