-- Gives the processes that have rows in hand: a claim's token begins with the boot id of its owner.
-- The state is asked twice, since SQLite uses the partial index of open rows only where its own words stand.
SELECT DISTINCT substr(token, 1, 32) AS owner FROM onceward_outbox
WHERE state IN ('waiting', 'claimed') AND state = 'claimed' AND token IS NOT NULL
