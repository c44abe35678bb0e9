-- What was done. Rows are only ever added: everything else in this database can be computed from them.
--
-- Names are ASCII and are compared by their bytes, in every locale: COLLATE "C".
CREATE TABLE deeds (
    stream        text COLLATE "C" NOT NULL,
    version       bigint NOT NULL CHECK (version >= 1),
    kind          text NOT NULL,
    body          jsonb NOT NULL,
    at            timestamptz NOT NULL CHECK (isfinite(at)),
    principal     text COLLATE "C" NOT NULL,
    basis         text NOT NULL,
    agent_label   text,
    instance_hash bytea CHECK (length(instance_hash) = 32),
    previous_hash bytea CHECK (length(previous_hash) = 32),
    hash          bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (stream, version),
    CHECK ((version = 1) = (previous_hash IS NULL))
);

CREATE FUNCTION deeds_are_only_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'deeds are only added: % is refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON deeds
    FOR EACH STATEMENT EXECUTE FUNCTION deeds_are_only_added();
-- Also for sessions that pose as a replica, in which ordinary triggers are silent.
ALTER TABLE deeds ENABLE ALWAYS TRIGGER only_added;

-- Projections: where each stream stands. No foreign keys lead to actors: an actor is never removed, and
-- a reference would make every acceptance write to the row of its actor's lock.

CREATE TABLE tasks (
    id                uuid PRIMARY KEY,
    version           bigint NOT NULL,
    head_hash         bytea NOT NULL,
    head_at           timestamptz NOT NULL CHECK (isfinite(head_at)),
    status            text NOT NULL,
    owner             text COLLATE "C",
    injected_by       text COLLATE "C" NOT NULL,
    created_at        timestamptz NOT NULL CHECK (isfinite(created_at)),
    reserved_for      text COLLATE "C",
    recipient_only    boolean NOT NULL,
    latest_acceptance jsonb,
    latest_completion jsonb,
    cited             jsonb NOT NULL,
    bytes             bigint NOT NULL
);

-- What nobody owns, newest first; and the same of one creator.
CREATE INDEX tasks_unaccepted ON tasks (created_at DESC, id DESC) WHERE owner IS NULL;
CREATE INDEX tasks_unaccepted_by_creator ON tasks (injected_by, created_at DESC, id DESC)
    WHERE owner IS NULL;

CREATE TABLE actors (
    id         text COLLATE "C" PRIMARY KEY,
    version    bigint NOT NULL,
    head_hash  bytea NOT NULL,
    head_at    timestamptz NOT NULL CHECK (isfinite(head_at)),
    kind       text NOT NULL,
    name       text NOT NULL,
    created_at timestamptz NOT NULL CHECK (isfinite(created_at))
);

CREATE TABLE keys (
    id          text COLLATE "C" PRIMARY KEY,
    version     bigint NOT NULL,
    head_hash   bytea NOT NULL,
    head_at     timestamptz NOT NULL CHECK (isfinite(head_at)),
    secret_hash bytea NOT NULL,
    actor       text COLLATE "C",
    scopes      text NOT NULL,
    label       text,
    created_at  timestamptz NOT NULL CHECK (isfinite(created_at)),
    expires_at  timestamptz CHECK (isfinite(expires_at)),
    revoked_at  timestamptz CHECK (isfinite(revoked_at))
);

CREATE INDEX keys_of_operators ON keys (id) WHERE actor IS NULL AND revoked_at IS NULL;

-- Which deed answered a request that its caller had named. Forgotten after a day.
CREATE TABLE idempotency (
    principal  text COLLATE "C" NOT NULL,
    key        text COLLATE "C" NOT NULL,
    request    bytea NOT NULL,
    stream     text COLLATE "C" NOT NULL,
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (principal, key)
);

CREATE INDEX idempotency_by_age ON idempotency (created_at);
