-- $1, $2: a registry; $3: the look.
UPDATE index_registries SET look = $3::text::json WHERE chain_id = $1 AND address = $2
