-- ?1: the registry's id; ?2, ?3: the least and the greatest number of its facts.
SELECT
    (SELECT count(*) FROM facts WHERE id BETWEEN ?2 AND ?3) AS "facts!: i64",
    (SELECT count(*) FROM subjects WHERE registry = ?1 AND entry IS NOT NULL) AS "entries!: i64"
