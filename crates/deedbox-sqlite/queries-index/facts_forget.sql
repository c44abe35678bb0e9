-- ?1, ?2: between which numbers.
DELETE FROM facts WHERE id BETWEEN ?1 AND ?2
