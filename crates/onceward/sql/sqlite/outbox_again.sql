-- Lets rows be handed over once more: refused ones, and sent ones of the replay window. The target knows a repeat.
UPDATE onceward_outbox SET state = 'waiting', next_at = 0, tries = 0, sent_at = NULL
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND (state = 'refused' OR state = 'sent' AND sent_at >= ?2)
RETURNING id
