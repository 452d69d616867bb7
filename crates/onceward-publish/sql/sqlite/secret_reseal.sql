-- Seals a secret with another key, unless its value has changed meanwhile.
UPDATE onceward_secret SET key_id = ?3, sealed = ?4 WHERE name = ?1 AND version = ?2
