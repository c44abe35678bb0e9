SELECT max(row) AS "row?: i64" FROM memory_documents
