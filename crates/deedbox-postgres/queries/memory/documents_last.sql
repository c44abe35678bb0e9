SELECT row FROM memory_documents ORDER BY row DESC LIMIT 1
