-- What was seen last of a registry's chain, as JSON: when somebody looked, how far the chain was, and whether it went back on what was final.
ALTER TABLE index_registries ADD COLUMN survey json;
