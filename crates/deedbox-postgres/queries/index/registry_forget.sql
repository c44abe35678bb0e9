-- $1: the registry's id.
WITH facts AS (
    DELETE FROM index_facts WHERE registry = $1
), blocks AS (
    DELETE FROM index_blocks WHERE registry = $1
), subjects AS (
    DELETE FROM index_subjects WHERE registry = $1 RETURNING id
), documents AS (
    DELETE FROM index_documents AS d USING subjects AS s WHERE d.id = s.id
), checks AS (
    DELETE FROM index_checks AS c USING subjects AS s WHERE c.subject = s.id
)
DELETE FROM index_registries WHERE id = $1
