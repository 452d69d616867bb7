-- The rows that can hold others of their key back: claimed, pausing or refused. Each claim asks for them; without an
-- index that leaves out what merely waits it would read the whole backlog each time.
CREATE INDEX outbox_blocking ON onceward.outbox (ordering_key, id)
    WHERE ordering_key IS NOT NULL AND state IN ('waiting', 'claimed', 'refused') AND next_at > '1970-01-01 00:00:00Z';

-- Each row is written three times within moments: dead rows slow every claim.
ALTER TABLE onceward.outbox SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.0, autovacuum_analyze_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
