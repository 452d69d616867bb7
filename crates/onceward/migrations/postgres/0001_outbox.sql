-- The outbox, version 1: a published contract. Applications of any language insert rows; all else is the relay's.
-- An application names queue, kind and payload, and what it needs of message_id, version, dedup_key, dedup_for,
-- ordering_key, headers and run_at.

CREATE TABLE onceward.outbox (
    id           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Given by the application, or made here: the same for every hand-over, so that the target knows a repeat.
    message_id   uuid    NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    queue        text    NOT NULL,
    kind         text    NOT NULL,
    version      bigint  NOT NULL DEFAULT 1,
    payload      text    NOT NULL,            -- JSON
    dedup_key    text,                        -- one job per key
    dedup_for    bigint,                      -- seconds that the key keeps others out; null: for ever
    ordering_key text,                        -- rows of one key are handed over in the order of their ids
    headers      text,                        -- JSON object of texts, for targets that have headers
    run_at       timestamptz,                 -- not before
    created_at   timestamptz NOT NULL DEFAULT statement_timestamp(),
    -- From here on the relay's own.
    state        text    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'claimed', 'sent', 'refused', 'skipped')),
    next_at      timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00Z', -- not claimed before: a pause after a failure, or the end of a claim
    token        text,                        -- of the claim
    tries        bigint  NOT NULL DEFAULT 0,
    error        text,                        -- JSON: why it was refused, or not handed over yet
    sent_at      timestamptz
);

CREATE INDEX outbox_open ON onceward.outbox (id) WHERE state IN ('waiting', 'claimed');
CREATE INDEX outbox_key ON onceward.outbox (ordering_key, id) WHERE ordering_key IS NOT NULL AND state IN ('waiting', 'claimed', 'refused');
CREATE INDEX outbox_refused ON onceward.outbox (id) WHERE state = 'refused';
CREATE INDEX outbox_sent ON onceward.outbox (sent_at) WHERE state IN ('sent', 'skipped');

-- How each target took what it was given last.
CREATE TABLE onceward.outbox_target (
    name      text    NOT NULL PRIMARY KEY,
    sent_at   timestamptz,
    failed_at timestamptz,                    -- null: the last hand-over went well
    error     text                            -- JSON
);
