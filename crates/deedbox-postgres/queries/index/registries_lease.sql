-- $1: registries' ids; $2: who holds them; $3: the epochs; $4: until when.
UPDATE index_registries AS r SET holder = $2, epoch = w.epoch, until = $4
FROM unnest($1::bigint[], $3::bigint[]) AS w (id, epoch)
WHERE r.id = w.id
