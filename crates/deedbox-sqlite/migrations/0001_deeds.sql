-- Marks the file as ours ("deed" in ASCII), so that another program's database is never taken for one.
PRAGMA application_id = 0x64656564;

-- What was done. `seq` is the order in which it was kept; moments are in milliseconds since 1970; hashes are
-- 32 bytes; `body` is in RFC 8785 canonical form, so that a row can be hashed again by any program.
CREATE TABLE deeds (
    seq           INTEGER PRIMARY KEY,
    stream        TEXT    NOT NULL,
    version       INTEGER NOT NULL CHECK (version >= 1),
    kind          TEXT    NOT NULL,
    body          TEXT    NOT NULL CHECK (json_valid(body)),
    at            INTEGER NOT NULL,
    principal     TEXT    NOT NULL,
    basis         TEXT    NOT NULL,
    agent_label   TEXT,
    instance_hash BLOB    CHECK (length(instance_hash) = 32),
    previous      BLOB    CHECK (length(previous) = 32),
    hash          BLOB    NOT NULL CHECK (length(hash) = 32),
    UNIQUE (stream, version)
) STRICT;

CREATE TRIGGER deeds_refuse_update BEFORE UPDATE ON deeds
BEGIN
    SELECT RAISE(ABORT, 'deeds are append-only');
END;

CREATE TRIGGER deeds_refuse_delete BEFORE DELETE ON deeds
BEGIN
    SELECT RAISE(ABORT, 'deeds are append-only');
END;

-- INSERT OR REPLACE removes the old row without asking the trigger above.
CREATE TRIGGER deeds_refuse_replace BEFORE INSERT ON deeds
WHEN EXISTS (SELECT 1 FROM deeds WHERE stream = NEW.stream AND version = NEW.version)
    OR EXISTS (SELECT 1 FROM deeds WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'deeds are append-only');
END;

-- The current state that deeds add up to. `version`, `head_hash` and `head_at` are those of the last deed.
CREATE TABLE actors (
    id         TEXT    NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    head_hash  BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    id          TEXT    NOT NULL PRIMARY KEY,
    version     INTEGER NOT NULL,
    head_hash   BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at     INTEGER NOT NULL,
    secret_hash BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    actor       TEXT    REFERENCES actors (id),
    scopes      TEXT    NOT NULL,
    label       TEXT,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER
) STRICT;

-- Is there an operator key?
CREATE INDEX keys_operator ON keys (id) WHERE actor IS NULL AND revoked_at IS NULL;
-- The list of keys, oldest first.
CREATE INDEX keys_by_age ON keys (created_at, id);

-- Title and description stay in the deed that created the task: version 1 of stream 'task:' || id.
CREATE TABLE tasks (
    id                TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    version           INTEGER NOT NULL,
    head_hash         BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at           INTEGER NOT NULL,
    status            TEXT    NOT NULL,
    owner             TEXT    REFERENCES actors (id),
    injected_by       TEXT    NOT NULL REFERENCES actors (id),
    created_at        INTEGER NOT NULL,
    reserved_for      TEXT    REFERENCES actors (id),
    recipient_only    INTEGER NOT NULL CHECK (recipient_only IN (0, 1)),
    latest_acceptance TEXT    CHECK (json_valid(latest_acceptance)),
    latest_completion TEXT    CHECK (json_valid(latest_completion)),
    cited             TEXT    NOT NULL CHECK (json_valid(cited)),
    bytes             INTEGER NOT NULL
) STRICT;

-- What nobody owns, newest first; and the same for one creator.
CREATE INDEX tasks_unaccepted ON tasks (created_at DESC, id DESC) WHERE owner IS NULL;
CREATE INDEX tasks_unaccepted_by ON tasks (injected_by, created_at DESC, id DESC) WHERE owner IS NULL;

-- How a repeated request is recognised: the deed that the first one led to. No foreign key says that the deed
-- is there: it is written in the same transaction, and a key would make each insert into deeds look here.
CREATE TABLE idempotency (
    principal   TEXT    NOT NULL,
    request_key TEXT    NOT NULL,
    request     BLOB    NOT NULL CHECK (length(request) = 32),
    stream      TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    made_at     INTEGER NOT NULL,
    PRIMARY KEY (principal, request_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (made_at);
