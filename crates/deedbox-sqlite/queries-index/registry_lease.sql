-- ?1: the registry's id; ?2: who holds it; ?3: the epoch; ?4: until when.
UPDATE registries SET holder = ?2, epoch = ?3, until = ?4 WHERE id = ?1
