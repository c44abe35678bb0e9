-- What somebody decided about registries: which are followed, how far each is trusted, which code was accepted, and which manifests are
-- pinned. `id` is the registry's as a text, so that rows come in the order of the streams 'registry:' || id.
CREATE TABLE registry_decisions (
    id          text COLLATE "C" PRIMARY KEY,
    version     bigint NOT NULL,
    head_hash   bytea NOT NULL,
    head_at     timestamptz NOT NULL CHECK (isfinite(head_at)),
    followed    boolean NOT NULL,
    standard    text NOT NULL,
    label       text,
    trust       text NOT NULL,
    from_block  bigint NOT NULL,
    seen        jsonb NOT NULL,
    followed_at timestamptz NOT NULL CHECK (isfinite(followed_at)),
    pins        jsonb NOT NULL
);
