SELECT edition FROM index_edition FOR UPDATE
