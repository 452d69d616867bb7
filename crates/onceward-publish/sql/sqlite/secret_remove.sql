-- Forgets a secret.
DELETE FROM onceward_secret WHERE name = ?1
