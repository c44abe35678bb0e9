-- ?1: a registry.
SELECT id, cursor, holder, epoch, until FROM registries WHERE registry = ?1
