-- $1, $2: registries. In one order, so that of two who lock several of them one waits for the other, and not each for the other.
SELECT r.id, r.chain_id, r.address, r.cursor::text AS "cursor!", r.holder, r.epoch, r.until
FROM index_registries AS r
WHERE (r.chain_id, r.address) IN (SELECT * FROM unnest($1::bigint[], $2::bytea[]))
ORDER BY r.id
FOR UPDATE OF r
