-- Forgets how a relay stands.
DELETE FROM onceward.relay WHERE name = $1
