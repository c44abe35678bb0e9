SELECT coalesce(max(id), 0) AS "last!: i64" FROM subjects
