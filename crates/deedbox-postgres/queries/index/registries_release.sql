-- $1: registries' ids.
UPDATE index_registries SET holder = '', until = 'epoch' WHERE id = ANY($1)
