-- The index of registries, a cache in a file of its own. Not migrated: when this text, or the edition of the functions that fill it,
-- is another one than the file was made with, it is made anew.

-- One row for each registry that is read. `cursor` is JSON; a lease without a holder was given back. `look` is JSON: the last
-- look at its code. `survey` is JSON: what was seen of its chain last.
CREATE TABLE registries (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    registry TEXT    NOT NULL UNIQUE,
    cursor   TEXT    NOT NULL,
    holder   TEXT    NOT NULL DEFAULT '',
    epoch    INTEGER NOT NULL DEFAULT 0,
    until    INTEGER NOT NULL DEFAULT 0,
    look     TEXT,
    survey   TEXT
) STRICT;

-- A number that is another one after a registry was forgotten, and in each file: searches that go on by row numbers look at it.
CREATE TABLE numbering (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    number   INTEGER NOT NULL
) STRICT;

INSERT INTO numbering VALUES (1, random());

-- Blocks in which something was said. `first_fact` is the number of the first fact of the block.
CREATE TABLE blocks (
    registry   INTEGER NOT NULL,
    block      INTEGER NOT NULL,
    hash       BLOB    NOT NULL,
    at         INTEGER NOT NULL,
    first_fact INTEGER NOT NULL,
    PRIMARY KEY (registry, block)
) STRICT, WITHOUT ROWID;

-- Of whom something was said. `id` is the row number that searches go by; `key` is ordered as subjects are; `card` and `entry` are
-- JSON, and NULL for what has no entry: searches read cards of many rows, so those come before what can be long. `due` is when a tool's manifest has to be checked, 0 when it was not yet, NULL when it need not be.
CREATE TABLE subjects (
    id       INTEGER PRIMARY KEY,
    registry INTEGER NOT NULL,
    key      BLOB    NOT NULL,
    card     TEXT,
    entry    TEXT,
    due      INTEGER,
    UNIQUE (registry, key)
) STRICT;

CREATE INDEX subjects_due ON subjects (registry, due, id) WHERE due IS NOT NULL;

-- What was said. `id` is the registry's id times 2^40 and the fact's number in the registry, in the chain's order.
CREATE TABLE facts (
    id          INTEGER PRIMARY KEY,
    subject     INTEGER NOT NULL,
    name        BLOB    NOT NULL,
    block       INTEGER NOT NULL,
    log_index   INTEGER NOT NULL,
    tx          BLOB    NOT NULL,
    statement   TEXT    NOT NULL
) STRICT;

-- The history of a subject. Names come last: of one name it is read from this index alone, and one more index would cost every fact.
CREATE INDEX facts_by_subject ON facts (subject, block, log_index, name);

-- The last check of a tool's manifest, as JSON, and the documents that were served.
CREATE TABLE checks (
    subject INTEGER PRIMARY KEY,
    body    TEXT NOT NULL
) STRICT;

CREATE TABLE manifests (
    hash  BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
) STRICT;

-- The words of entries, by the row numbers of their subjects. Words come ready-made, apart by spaces: of the characters in ASCII those
-- that are listed end no word, and none outside of ASCII does.
CREATE VIRTUAL TABLE documents USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = "ascii tokenchars ':._-%/'"
);
