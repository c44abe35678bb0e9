SELECT number FROM index_numbering
