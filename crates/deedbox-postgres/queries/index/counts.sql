SELECT chain_id, address, (SELECT count(*) FROM index_subjects AS s WHERE s.registry = r.id AND s.key >= '\x01' AND s.key < '\x03') AS "entries!" FROM index_registries AS r
