-- ?1: the hash; ?2: the bytes.
INSERT INTO manifests (hash, bytes) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING
