-- ?1, ?2: between which numbers.
SELECT subject FROM facts WHERE id BETWEEN ?1 AND ?2
