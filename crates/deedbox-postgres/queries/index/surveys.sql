SELECT survey::text AS "survey!" FROM index_registries WHERE survey IS NOT NULL ORDER BY chain_id, address
