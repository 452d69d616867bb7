-- Lets all rows that were sent since then be handed over once more, some at a time. The target knows a repeat.
UPDATE onceward.outbox SET state = 'waiting', next_at = '1970-01-01 00:00:00Z', tries = 0, sent_at = NULL
WHERE id = ANY (ARRAY (
    SELECT id FROM onceward.outbox WHERE state = 'sent' AND sent_at >= $1 AND sent_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
RETURNING id
