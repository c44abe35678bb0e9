SELECT id FROM index_documents ORDER BY id DESC LIMIT 1
