-- The index of registries: a cache. Everything in these tables can be read again from the chains, and is thrown away when the program
-- fills them in another way than before. JSON is kept as it was written and not looked into here: `json`, not `jsonb`.

-- Which edition of the program's functions filled the tables.
CREATE TABLE index_edition (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    edition  integer NOT NULL
);
INSERT INTO index_edition (edition) VALUES (0);

-- One row for each registry that is read. Whoever writes anything of a registry has its row locked. A lease without a holder was given
-- back, or never taken.
CREATE TABLE index_registries (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain_id bigint NOT NULL,
    address  bytea NOT NULL CHECK (length(address) = 20),
    cursor   json NOT NULL,
    holder   text NOT NULL DEFAULT '',
    epoch    bigint NOT NULL DEFAULT 0,
    until    timestamptz NOT NULL DEFAULT 'epoch' CHECK (isfinite(until)),
    UNIQUE (chain_id, address)
);

-- Blocks in which something was said.
CREATE TABLE index_blocks (
    registry bigint NOT NULL,
    block    bigint NOT NULL,
    hash     bytea NOT NULL CHECK (length(hash) = 32),
    at       timestamptz NOT NULL CHECK (isfinite(at)),
    PRIMARY KEY (registry, block)
);

-- Of whom something was said. `id` is the row number that searches go by; `key` is ordered as subjects are; `entry` is NULL for what has
-- no entry. `due` is when a tool's manifest was checked last, -infinity when it has to be, NULL when it need not be.
CREATE SEQUENCE index_subjects_id;
CREATE TABLE index_subjects (
    id       bigint PRIMARY KEY,
    registry bigint NOT NULL,
    key      bytea NOT NULL,
    entry    json,
    due      timestamptz,
    UNIQUE (registry, key)
);
ALTER SEQUENCE index_subjects_id OWNED BY index_subjects.id;
CREATE INDEX index_subjects_due ON index_subjects (due, id) WHERE due IS NOT NULL;

-- What was said.
CREATE TABLE index_facts (
    registry  bigint NOT NULL,
    block     bigint NOT NULL,
    log_index bigint NOT NULL,
    subject   bigint NOT NULL,
    name      bytea NOT NULL,
    tx        bytea NOT NULL CHECK (length(tx) = 32),
    statement json NOT NULL,
    PRIMARY KEY (registry, block, log_index)
);

-- The history of a subject. Names come last: of one name it is found in this index alone, and one more index would cost every fact.
CREATE INDEX index_facts_by_subject ON index_facts (subject, block, log_index, name);

-- The words of entries, by the row numbers of their subjects. They come ready-made: no dictionary, no positions.
CREATE TABLE index_documents (
    id    bigint PRIMARY KEY,
    words tsvector NOT NULL
);

-- How often words are does not change how they are looked up, and to count them is work.
ALTER TABLE index_documents ALTER COLUMN words SET STATISTICS 0;

-- What was added last is looked through word by word until there is so much of it (in kB) that it is sorted in.
CREATE INDEX index_documents_words ON index_documents USING gin (words) WITH (gin_pending_list_limit = 512);

-- The last check of a tool's manifest, and the documents that were served.
CREATE TABLE index_checks (
    subject bigint PRIMARY KEY,
    body    json NOT NULL
);

CREATE TABLE index_manifests (
    hash  bytea PRIMARY KEY CHECK (length(hash) = 32),
    bytes bytea NOT NULL
);
