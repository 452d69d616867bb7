-- Writes down rows that were not handed over, as long as the claim of them holds: refused, or waiting once more,
-- after a pause or, as when they were written, without one.
UPDATE onceward_outbox SET
    state = item.value ->> 'state', token = NULL, error = coalesce(item.value ->> 'error', onceward_outbox.error), tries = tries + (item.value ->> 'tried'),
    next_at = CASE WHEN item.value ->> 'state' = 'waiting' AND item.value ->> 'pause' = 0 THEN 0
        ELSE coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (item.value ->> 'pause') END
FROM jsonb_each(?1) AS item
WHERE onceward_outbox.id = item.value ->> 'id' AND token = ?3 AND onceward_outbox.state = 'claimed'
RETURNING onceward_outbox.id AS id
