-- Keeps a renewed session, if it is still the one that was claimed.
UPDATE onceward_secret
SET version = ?3, key_id = ?4, sealed = ?5, updated_at = coalesce(?6, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), claim = NULL, claim_until = NULL
WHERE name = ?1 AND claim = ?2
