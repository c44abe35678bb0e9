-- ?1: a registry; ?2: its cursor.
INSERT INTO registries (registry, cursor) VALUES (?1, ?2) ON CONFLICT (registry) DO NOTHING
