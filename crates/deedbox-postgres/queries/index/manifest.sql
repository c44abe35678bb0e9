-- $1: the hash.
SELECT bytes FROM index_manifests WHERE hash = $1
