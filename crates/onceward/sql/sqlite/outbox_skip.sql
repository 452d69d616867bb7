-- Gives refused rows up, which frees their ordering keys.
UPDATE onceward_outbox SET state = 'skipped', sent_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND state = 'refused'
RETURNING id
