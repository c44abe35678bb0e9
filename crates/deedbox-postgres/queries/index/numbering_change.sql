UPDATE index_numbering SET number = (random() * 9007199254740991)::bigint
