-- Keeps a renewed session, if it is still the one that was claimed.
UPDATE onceward.secret
SET version = $3, key_id = $4, sealed = $5, updated_at = coalesce($6, statement_timestamp()), claim = NULL, claim_until = NULL
WHERE name = $1 AND claim = $2
