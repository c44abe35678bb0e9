-- ?1, ?2: between which numbers.
SELECT coalesce(max(id), ?1) AS "last!: i64" FROM facts WHERE id BETWEEN ?1 AND ?2
