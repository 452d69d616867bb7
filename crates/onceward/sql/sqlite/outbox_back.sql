-- Takes rows out of the hands of processes that are gone; they wait as when they were written.
-- The state is asked twice, since SQLite uses the partial index of open rows only where its own words stand.
UPDATE onceward_outbox SET state = 'waiting', token = NULL, next_at = 0
WHERE state IN ('waiting', 'claimed') AND state = 'claimed' AND substr(token, 1, 32) IN (SELECT value FROM jsonb_each(?1))
RETURNING id
