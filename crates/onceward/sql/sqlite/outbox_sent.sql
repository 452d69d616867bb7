-- Marks rows as handed over, as long as the claim of them holds.
UPDATE onceward_outbox SET
    state = 'sent', token = NULL, error = NULL, sent_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND token = ?3 AND state = 'claimed'
RETURNING id
