-- Sorts the words in that were added last: until then each search looks through them.
SELECT gin_clean_pending_list('index_documents_words'::regclass) AS "pages!"
