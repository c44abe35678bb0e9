-- What the operator changed on chains. Signed bytes, arguments and receipts stay in the deeds of stream
-- 'publication:' || id. Fees are in wei, in decimal digits: they need not fit an INTEGER. `attempts` are the hashes of all
-- transactions that were signed, the oldest first.
CREATE TABLE publications (
    id                       TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    version                  INTEGER NOT NULL,
    head_hash                BLOB    NOT NULL CHECK (length(head_hash) = 32),
    head_at                  INTEGER NOT NULL,
    operation                TEXT    NOT NULL,
    chain_id                 INTEGER NOT NULL,
    account                  BLOB    NOT NULL CHECK (length(account) = 20),
    nonce                    INTEGER NOT NULL,
    recipient                BLOB    CHECK (length(recipient) = 20),
    call                     BLOB    NOT NULL CHECK (length(call) = 32),
    status                   TEXT    NOT NULL,
    max_fee_per_gas          TEXT    NOT NULL,
    max_priority_fee_per_gas TEXT    NOT NULL,
    attempts                 TEXT    NOT NULL CHECK (json_valid(attempts)),
    signed_at                INTEGER NOT NULL
) STRICT;

-- An account has one open publication on a chain: two would be signed with one nonce. The rules see to it; this is for
-- whoever goes past them.
CREATE UNIQUE INDEX publications_open ON publications (chain_id, account) WHERE status = 'open';
-- What is settled at or above a nonce that is to be signed. Because nothing is signed at or below such a one, no two have the same.
CREATE UNIQUE INDEX publications_nonces ON publications (chain_id, account, nonce);
-- The list of publications, newest first; and of those that are open.
CREATE INDEX publications_by_age ON publications (signed_at DESC, id DESC);
CREATE INDEX publications_open_by_age ON publications (signed_at DESC, id DESC) WHERE status = 'open';
