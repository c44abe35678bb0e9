-- ?1: the registry's id.
DELETE FROM registries WHERE id = ?1
