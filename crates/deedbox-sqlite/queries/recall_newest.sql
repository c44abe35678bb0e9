SELECT max(row) AS "row?: i64" FROM memories
