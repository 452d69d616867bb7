-- Forgets how a relay stands.
DELETE FROM onceward_relay WHERE name = ?1
