SELECT edition FROM index_edition FOR SHARE
