-- ?1: a registry; ?2: who gives it back; ?3: the epoch of their lease.
UPDATE registries SET holder = '', until = 0 WHERE registry = ?1 AND holder = ?2 AND epoch = ?3
