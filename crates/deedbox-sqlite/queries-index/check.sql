-- ?1: a subject.
SELECT body FROM checks WHERE subject = ?1
