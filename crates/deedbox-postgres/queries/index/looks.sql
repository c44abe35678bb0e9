SELECT look::text AS "look!" FROM index_registries WHERE look IS NOT NULL ORDER BY chain_id, address
