-- Forgets all relays but the named ones.
DELETE FROM onceward_relay WHERE name NOT IN (SELECT value FROM jsonb_each(?1))
