-- Lets all rows that were sent since then be handed over once more, some at a time. The target knows a repeat.
UPDATE onceward_outbox SET state = 'waiting', next_at = 0, tries = 0, sent_at = NULL
WHERE id IN (SELECT id FROM onceward_outbox WHERE state = 'sent' AND sent_at >= ?1 AND sent_at < ?2 LIMIT ?3)
RETURNING id
