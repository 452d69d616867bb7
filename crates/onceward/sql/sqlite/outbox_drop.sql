-- Deletes some rows that were handed over, or given up, before the replay window.
DELETE FROM onceward_outbox WHERE id IN (
    SELECT id FROM onceward_outbox WHERE state IN ('sent', 'skipped') AND sent_at < ?1 LIMIT ?2)
RETURNING id
