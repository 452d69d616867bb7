-- Lets refused rows be handed over once more.
UPDATE onceward_outbox SET state = 'waiting', next_at = 0, tries = 0
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND state = 'refused'
RETURNING id
