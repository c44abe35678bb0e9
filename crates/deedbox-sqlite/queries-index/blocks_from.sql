-- ?1: the registry's id; ?2: a block. The number of the first fact of that block or of a later one.
SELECT first_fact FROM blocks WHERE registry = ?1 AND block >= ?2 ORDER BY block LIMIT 1
