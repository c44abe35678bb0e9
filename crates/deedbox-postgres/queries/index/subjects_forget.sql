-- $1: subjects of which nothing is left; $2: those that have no entry any more.
WITH subjects AS (
    DELETE FROM index_subjects WHERE id = ANY($1::bigint[])
), checks AS (
    DELETE FROM index_checks WHERE subject = ANY($1::bigint[])
)
DELETE FROM index_documents WHERE id = ANY($1::bigint[] || $2::bigint[])
