-- An account may have several open publications on a chain: when the chain took back the blocks that had settled them. They are gone on
-- with from the lowest nonce up, which this index finds. That nothing new is signed while one is open is for the rules to see to.
DROP INDEX publications_open;
CREATE UNIQUE INDEX publications_open ON publications (chain_id, account, nonce) WHERE status = 'open';
