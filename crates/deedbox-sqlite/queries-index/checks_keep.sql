-- ?1: a subject; ?2: the check.
INSERT INTO checks (subject, body) VALUES (?1, ?2) ON CONFLICT (subject) DO UPDATE SET body = excluded.body
