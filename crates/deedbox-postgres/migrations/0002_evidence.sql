-- Recorded readings of chains. What was asked and answered stays in the deed: version 1 of stream 'evidence:' || id.
CREATE TABLE evidence (
    id           uuid PRIMARY KEY,
    version      bigint NOT NULL,
    head_hash    bytea NOT NULL,
    head_at      timestamptz NOT NULL CHECK (isfinite(head_at)),
    tool         text COLLATE "C" NOT NULL,
    chain_id     bigint NOT NULL,
    block_number bigint NOT NULL,
    block_hash   bytea NOT NULL,
    digest       bytea NOT NULL,
    task         uuid,
    recorded_at  timestamptz NOT NULL CHECK (isfinite(recorded_at))
);

-- Which readings are there of this tool, chain and block?
CREATE INDEX evidence_by_block_number
    ON evidence (tool, chain_id, block_number, recorded_at DESC, id DESC);
CREATE INDEX evidence_by_block_hash
    ON evidence (block_hash, tool, chain_id, recorded_at DESC, id DESC);
-- The list of evidence, newest first; and the same for one task.
CREATE INDEX evidence_by_age ON evidence (recorded_at DESC, id DESC);
CREATE INDEX evidence_by_task ON evidence (task, recorded_at DESC, id DESC) WHERE task IS NOT NULL;
