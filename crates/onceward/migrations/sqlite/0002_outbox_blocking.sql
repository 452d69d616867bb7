-- The rows that can hold others of their key back: claimed, pausing or refused. Each claim asks for them; without an
-- index that leaves out what merely waits it would read the whole backlog each time.
CREATE INDEX onceward_outbox_blocking ON onceward_outbox (ordering_key, id)
    WHERE ordering_key IS NOT NULL AND state IN ('waiting', 'claimed', 'refused') AND next_at > 0;
