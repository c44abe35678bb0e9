-- ?1: a subject.
DELETE FROM checks WHERE subject = ?1
