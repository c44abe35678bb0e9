-- The agent label that a key bears witness to: what its user calls itself, if the key's maker said that this is so. Permits nothing.
ALTER TABLE keys ADD COLUMN agent_label TEXT;
