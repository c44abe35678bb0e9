-- ?1: the registry's id; ?2: the first block to forget.
DELETE FROM blocks WHERE registry = ?1 AND block >= ?2
