-- Recorded readings of chains. What was asked and answered stays in the deed: version 1 of stream 'evidence:' || id.
CREATE TABLE evidence (
    id           TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    version      INTEGER NOT NULL,
    head_hash    BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at      INTEGER NOT NULL,
    tool         TEXT    NOT NULL,
    chain_id     INTEGER NOT NULL,
    block_number INTEGER NOT NULL,
    block_hash   BLOB    NOT NULL CHECK (length(block_hash) = 32),
    digest       BLOB    NOT NULL CHECK (length(digest) = 32),
    task         TEXT    REFERENCES tasks (id),
    recorded_at  INTEGER NOT NULL
) STRICT;

-- Which readings are there of this tool, chain and block?
CREATE INDEX evidence_by_block_number ON evidence (tool, chain_id, block_number, recorded_at DESC, id DESC);
CREATE INDEX evidence_by_block_hash ON evidence (block_hash, tool, chain_id, recorded_at DESC, id DESC);
-- The list of evidence, newest first; and the same for one task.
CREATE INDEX evidence_by_age ON evidence (recorded_at DESC, id DESC);
CREATE INDEX evidence_by_task ON evidence (task, recorded_at DESC, id DESC) WHERE task IS NOT NULL;
