-- $1, $2: registries; $3: who holds each; $4: the epochs of their leases; $5: what they saw; $6: now. Rows are locked in one order, as by
-- everybody who locks several.
WITH held AS (
    SELECT r.id, w.survey
    FROM index_registries AS r
    JOIN unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[], $5::text[]) AS w (chain_id, address, holder, epoch, survey)
        ON r.chain_id = w.chain_id AND r.address = w.address
    WHERE r.holder = w.holder AND r.epoch = w.epoch AND r.until > $6
    ORDER BY r.id
    FOR UPDATE OF r
)
UPDATE index_registries AS r SET survey = held.survey::json
FROM held
WHERE r.id = held.id
