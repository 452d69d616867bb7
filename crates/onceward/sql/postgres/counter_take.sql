-- Takes the oldest deltas away, to be added to their figures in the same transaction.
DELETE FROM onceward.counter_delta WHERE id = ANY (ARRAY (
    SELECT id FROM onceward.counter_delta ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING queue, what, n
