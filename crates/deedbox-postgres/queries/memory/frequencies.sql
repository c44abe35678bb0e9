-- $1: words, each as a query, of few rows. Of each, how many have it.
SELECT (SELECT count(*) FROM memory_documents AS d WHERE d.words @@ w.word::tsquery) AS "count!"
FROM unnest($1::text[]) WITH ORDINALITY AS w (word, place)
ORDER BY w.place
