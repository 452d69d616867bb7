-- Takes the oldest deltas away, to be added to their figures in the same transaction.
DELETE FROM onceward_counter_delta WHERE id IN (SELECT id FROM onceward_counter_delta ORDER BY id LIMIT ?1)
RETURNING queue, what, n
