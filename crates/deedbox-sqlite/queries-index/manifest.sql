-- ?1: the hash.
SELECT bytes FROM manifests WHERE hash = ?1
