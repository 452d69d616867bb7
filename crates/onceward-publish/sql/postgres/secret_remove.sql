-- Forgets a secret.
DELETE FROM onceward.secret WHERE name = $1
