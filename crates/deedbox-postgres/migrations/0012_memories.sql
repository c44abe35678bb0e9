-- Spaces of teams, memories, the texts beside their deeds, and who read them. Personal spaces have no rows: they are there when their
-- actor is. Whoever changes anything of a space, or in it, holds an advisory lock of the space.
CREATE TABLE spaces (
    id         text COLLATE "C" PRIMARY KEY,
    version    bigint NOT NULL,
    head_hash  bytea NOT NULL,
    head_at    timestamptz NOT NULL CHECK (isfinite(head_at)),
    name       text NOT NULL,
    owner      text COLLATE "C" NOT NULL REFERENCES actors (id),
    created_at timestamptz NOT NULL CHECK (isfinite(created_at))
);

CREATE TABLE space_members (
    space text COLLATE "C" NOT NULL REFERENCES spaces (id),
    actor text COLLATE "C" NOT NULL REFERENCES actors (id),
    PRIMARY KEY (space, actor)
);

CREATE INDEX space_members_by_actor ON space_members (actor, space);

-- What a space has, of what is limited.
CREATE TABLE space_usage (
    space    text COLLATE "C" PRIMARY KEY,
    memories bigint NOT NULL CHECK (memories >= 0),
    bytes    bigint NOT NULL CHECK (bytes >= 0)
);

-- `row` is the row number that recall goes by. `text_version` is the version of the deed beside which the text stands that is the memory's
-- now. `path`, `key`, `tags` and `digest` are that text's, for looking it up, and go when it goes.
CREATE TABLE memories (
    row             bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    id              uuid PRIMARY KEY,
    version         bigint NOT NULL,
    head_hash       bytea NOT NULL,
    head_at         timestamptz NOT NULL CHECK (isfinite(head_at)),
    space           text COLLATE "C" NOT NULL,
    kind            text NOT NULL,
    todo_done       boolean NOT NULL,
    expires_at      timestamptz CHECK (isfinite(expires_at)),
    status          text NOT NULL,
    created_at      timestamptz NOT NULL CHECK (isfinite(created_at)),
    updated_at      timestamptz NOT NULL CHECK (isfinite(updated_at)),
    first_actor     text,
    first_principal text NOT NULL,
    first_basis     text NOT NULL,
    first_label     text,
    first_instance  bytea,
    last_actor      text,
    last_principal  text NOT NULL,
    last_basis      text NOT NULL,
    last_label      text,
    last_instance   bytea,
    text_version    bigint,
    bytes           bigint NOT NULL,
    path            text COLLATE "C",
    key             text,
    tags            text[],
    digest          bytea
);

-- Lists, newest first; a whole space, by id; and what says the same already.
CREATE INDEX memories_listed ON memories (space, status, created_at DESC, id DESC);
CREATE INDEX memories_by_space ON memories (space, id);
CREATE INDEX memories_twins ON memories (space, kind, digest, created_at, id) WHERE status = 'live';

-- The text beside a deed, in RFC 8785 canonical form, and its salt. Deleted when the memory is redacted.
CREATE TABLE memory_texts (
    memory  uuid NOT NULL,
    version bigint NOT NULL,
    salt    bytea NOT NULL,
    text    text NOT NULL,
    PRIMARY KEY (memory, version)
);

-- The words of living memories, by row numbers. They come ready-made: no dictionary, no positions.
CREATE TABLE memory_documents (
    row   bigint PRIMARY KEY,
    words tsvector NOT NULL
);

-- How often words are does not change how they are looked up, and to count them is work.
ALTER TABLE memory_documents ALTER COLUMN words SET STATISTICS 0;

-- What was added last is looked through word by word until there is so much of it (in kB) that it is sorted in.
CREATE INDEX memory_documents_words ON memory_documents USING gin (words) WITH (gin_pending_list_limit = 512);

-- Who was shown which memory. Only ids: what it says stands nowhere here.
CREATE TABLE memory_accesses (
    number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at            timestamptz NOT NULL CHECK (isfinite(at)),
    principal     text NOT NULL,
    actor         text,
    agent_label   text,
    instance_hash bytea,
    operation     text NOT NULL,
    space         text COLLATE "C" NOT NULL,
    memory        uuid NOT NULL
);

CREATE INDEX memory_accesses_by_space ON memory_accesses (space, number DESC);
CREATE INDEX memory_accesses_by_memory ON memory_accesses (memory, number DESC);
