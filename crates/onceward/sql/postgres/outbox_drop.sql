-- Deletes some rows that were handed over, or given up, before the replay window.
DELETE FROM onceward.outbox WHERE id = ANY (ARRAY (
    SELECT id FROM onceward.outbox WHERE state IN ('sent', 'skipped') AND sent_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING id
