-- $1, $2: a registry; $3: its cursor.
INSERT INTO index_registries (chain_id, address, cursor) VALUES ($1, $2, $3::text::json)
ON CONFLICT (chain_id, address) DO NOTHING
