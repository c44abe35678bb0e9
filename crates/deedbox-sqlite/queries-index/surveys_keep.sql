-- ?1: a JSON array of arrays: a registry, who holds it, the epoch of their lease, and what they saw; ?2: now.
UPDATE registries SET survey = wanted.value ->> 3
FROM json_each(?1) AS wanted
WHERE registries.registry = wanted.value ->> 0
    AND registries.holder = wanted.value ->> 1
    AND registries.epoch = wanted.value ->> 2
    AND registries.until > ?2
