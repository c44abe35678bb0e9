-- A number that is another one after a registry was forgotten, or all of them: searches that go on by row numbers look at it. Apart from the
-- edition, whose row everybody who claims a registry reads under a lock, so that nobody waits for a large registry to be forgotten.
CREATE TABLE index_numbering (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    number   bigint NOT NULL
);
INSERT INTO index_numbering (number) VALUES ((random() * 9007199254740991)::bigint);
