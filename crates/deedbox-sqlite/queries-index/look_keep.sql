-- ?1: a registry; ?2: the look.
UPDATE registries SET look = ?2 WHERE registry = ?1
