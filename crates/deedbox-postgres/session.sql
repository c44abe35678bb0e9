-- What every connection of ours is set to.

-- A row lock that is not to be had within five seconds is answered with "busy"; the locks of a replica that froze in the middle of a
-- transaction are let go after ten.
SET lock_timeout = '5s';
SET statement_timeout = '30s';
SET idle_in_transaction_session_timeout = '10s';

-- Statements are planned once and then used for days, perhaps since the tables were empty, when reading a whole table looked cheapest; and
-- where a statement says how many rows it wants at most, the planner takes a tenth of the table for that number, and joins by reading all of
-- another one. Every statement here has its index and takes few rows; this holds the planner to it. Without `jit = off` the penalty that does so
-- would make it compile queries that take microseconds.
SET enable_seqscan = off;
SET enable_mergejoin = off;
SET enable_hashjoin = off;
SET jit = off;

SET client_min_messages = warning;

-- `off` would acknowledge deeds that a crash then forgets. Any other value is the operator's choice among durable ones (with or without
-- standbys).
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off';
