-- Says how many rows were handed over in a time: those that `outbox_replay` would change.
-- The state is asked twice, since SQLite uses the partial index of ended rows only where its own words stand.
SELECT count(*) AS count FROM onceward_outbox WHERE state IN ('sent', 'skipped') AND state = 'sent' AND sent_at >= ?1 AND sent_at < ?2
