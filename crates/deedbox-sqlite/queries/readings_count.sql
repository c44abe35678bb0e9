-- ?1: a task.
SELECT count(*) AS "count!: i64" FROM evidence WHERE task = ?1
