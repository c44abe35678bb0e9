-- What the operator changed on chains. Signed bytes, arguments and receipts stay in the deeds of stream
-- 'publication:' || id. Fees are in wei, in decimal digits. `attempts` are the hashes of all transactions that were signed,
-- the oldest first.
CREATE TABLE publications (
    id                       uuid PRIMARY KEY,
    version                  bigint NOT NULL,
    head_hash                bytea NOT NULL,
    head_at                  timestamptz NOT NULL CHECK (isfinite(head_at)),
    operation                text COLLATE "C" NOT NULL,
    chain_id                 bigint NOT NULL,
    account                  bytea NOT NULL,
    nonce                    bigint NOT NULL,
    recipient                bytea,
    call                     bytea NOT NULL,
    status                   text NOT NULL,
    max_fee_per_gas          text NOT NULL,
    max_priority_fee_per_gas text NOT NULL,
    attempts                 jsonb NOT NULL,
    signed_at                timestamptz NOT NULL CHECK (isfinite(signed_at))
);

-- An account has one open publication on a chain: two would be signed with one nonce. Of two processes that sign at once,
-- both of which found nothing open, the second comes to grief here, and asks the rules again.
CREATE UNIQUE INDEX publications_open ON publications (chain_id, account) WHERE status = 'open';
-- What is settled at or above a nonce that is to be signed. Because nothing is signed at or below such a one, no two have the same.
CREATE UNIQUE INDEX publications_nonces ON publications (chain_id, account, nonce);
-- The list of publications, newest first; and of those that are open.
CREATE INDEX publications_by_age ON publications (signed_at DESC, id DESC);
CREATE INDEX publications_open_by_age ON publications (signed_at DESC, id DESC) WHERE status = 'open';
