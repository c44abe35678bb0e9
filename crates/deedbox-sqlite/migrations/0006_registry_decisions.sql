-- What somebody decided about registries: which are followed, how far each is trusted, which code was accepted, and which manifests are
-- pinned. `id` is the registry's as a text, so that rows come in the order of the streams 'registry:' || id. `seen` and `pins` are JSON.
CREATE TABLE registry_decisions (
    id          TEXT    NOT NULL PRIMARY KEY,
    version     INTEGER NOT NULL,
    head_hash   BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at     INTEGER NOT NULL,
    followed    INTEGER NOT NULL CHECK (followed IN (0, 1)),
    standard    TEXT    NOT NULL,
    label       TEXT,
    trust       TEXT    NOT NULL,
    from_block  INTEGER NOT NULL,
    seen        TEXT    NOT NULL CHECK (json_valid(seen)),
    followed_at INTEGER NOT NULL,
    pins        TEXT    NOT NULL CHECK (json_valid(pins))
) STRICT;
