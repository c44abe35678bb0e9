-- Spaces of teams, memories, the texts beside their deeds, and who read them. Personal spaces have no rows: they are there when their
-- actor is.
CREATE TABLE spaces (
    id         TEXT    NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    head_hash  BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at    INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    owner      TEXT    NOT NULL REFERENCES actors (id),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE space_members (
    space TEXT NOT NULL REFERENCES spaces (id),
    actor TEXT NOT NULL REFERENCES actors (id),
    PRIMARY KEY (space, actor)
) STRICT, WITHOUT ROWID;

CREATE INDEX space_members_by_actor ON space_members (actor, space);

-- What a space has, of what is limited.
CREATE TABLE space_usage (
    space    TEXT    NOT NULL PRIMARY KEY,
    memories INTEGER NOT NULL CHECK (memories >= 0),
    bytes    INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

-- `row` is the row number that recall goes by. `text_version` is the version of the deed beside which the text stands that is the memory's
-- now. `path`, `key`, `tags` (JSON) and `digest` are that text's, for looking it up, and go when it goes.
CREATE TABLE memories (
    row             INTEGER PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
    version         INTEGER NOT NULL,
    head_hash       BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at         INTEGER NOT NULL,
    space           TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    todo_done       INTEGER NOT NULL CHECK (todo_done IN (0, 1)),
    expires_at      INTEGER,
    status          TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    first_actor     TEXT,
    first_principal TEXT    NOT NULL,
    first_basis     TEXT    NOT NULL,
    first_label     TEXT,
    first_instance  BLOB    CHECK (length(first_instance) = 32),
    last_actor      TEXT,
    last_principal  TEXT    NOT NULL,
    last_basis      TEXT    NOT NULL,
    last_label      TEXT,
    last_instance   BLOB    CHECK (length(last_instance) = 32),
    text_version    INTEGER,
    bytes           INTEGER NOT NULL,
    path            TEXT,
    key             TEXT,
    tags            TEXT    CHECK (json_valid(tags)),
    digest          BLOB    CHECK (length(digest) = 32)
) STRICT;

-- Lists, newest first; a whole space, by id; and what says the same already.
CREATE INDEX memories_listed ON memories (space, status, created_at DESC, id DESC);
CREATE INDEX memories_by_space ON memories (space, id);
CREATE INDEX memories_twins ON memories (space, kind, digest, created_at, id) WHERE status = 'live';

-- The text beside a deed, in RFC 8785 canonical form, and its salt. Deleted when the memory is redacted.
CREATE TABLE memory_texts (
    memory  TEXT    NOT NULL,
    version INTEGER NOT NULL,
    salt    BLOB    NOT NULL CHECK (length(salt) = 32),
    text    TEXT    NOT NULL CHECK (json_valid(text)),
    PRIMARY KEY (memory, version)
) STRICT;

-- The words of living memories, by row numbers, and an index of them. Words come ready-made, apart by spaces: of the characters in ASCII
-- those that are listed end no word, and none outside of ASCII does. The words are kept, because only who knows them can take them out
-- of the index at once (`secure-delete`); otherwise they would stay in it until its pages are written anew.
CREATE TABLE memory_documents (
    row   INTEGER PRIMARY KEY,
    words TEXT    NOT NULL
) STRICT;

CREATE VIRTUAL TABLE memory_words USING fts5 (
    words,
    content = 'memory_documents',
    content_rowid = 'row',
    detail = none,
    tokenize = "ascii tokenchars ':._-%/'"
);
INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);

-- Who was shown which memory. Only ids: what it says stands nowhere here.
CREATE TABLE memory_accesses (
    number        INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    principal     TEXT    NOT NULL,
    actor         TEXT,
    agent_label   TEXT,
    instance_hash BLOB    CHECK (length(instance_hash) = 32),
    operation     TEXT    NOT NULL,
    space         TEXT    NOT NULL,
    memory        TEXT    NOT NULL
) STRICT;

CREATE INDEX memory_accesses_by_space ON memory_accesses (space, number DESC);
CREATE INDEX memory_accesses_by_memory ON memory_accesses (memory, number DESC);
