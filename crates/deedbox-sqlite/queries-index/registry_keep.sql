-- ?1: the registry's id; ?2: its cursor.
UPDATE registries SET cursor = ?2 WHERE id = ?1
