-- The outbox, version 1: a published contract. Applications of any language insert rows; all else is the relay's.
-- Instants are microseconds since 1970 in UTC. An application names queue, kind and payload, and what it needs of
-- message_id, version, dedup_key, dedup_for, ordering_key, headers and run_at.

CREATE TABLE onceward_outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Given by the application, or made here: the same for every hand-over, so that the target knows a repeat.
    message_id   TEXT    NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'
                 || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
    queue        TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    version      INTEGER NOT NULL DEFAULT 1,
    payload      TEXT    NOT NULL,            -- JSON
    dedup_key    TEXT,                        -- one job per key
    dedup_for    INTEGER,                     -- seconds that the key keeps others out; null: for ever
    ordering_key TEXT,                        -- rows of one key are handed over in the order of their ids
    headers      TEXT,                        -- JSON object of texts, for targets that have headers
    run_at       INTEGER,                     -- not before
    -- In words that an application's own SQLite of 3.37 knows.
    created_at   INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000),
    -- From here on the relay's own.
    state        TEXT    NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'claimed', 'sent', 'refused', 'skipped')),
    next_at      INTEGER NOT NULL DEFAULT 0,  -- not claimed before: a pause after a failure, or the end of a claim
    token        TEXT,                        -- of the claim
    tries        INTEGER NOT NULL DEFAULT 0,
    error        TEXT,                        -- JSON: why it was refused, or not handed over yet
    sent_at      INTEGER
) STRICT;

CREATE INDEX onceward_outbox_open ON onceward_outbox (id) WHERE state IN ('waiting', 'claimed');
CREATE INDEX onceward_outbox_key ON onceward_outbox (ordering_key, id) WHERE ordering_key IS NOT NULL AND state IN ('waiting', 'claimed', 'refused');
CREATE INDEX onceward_outbox_refused ON onceward_outbox (id) WHERE state = 'refused';
CREATE INDEX onceward_outbox_sent ON onceward_outbox (sent_at) WHERE state IN ('sent', 'skipped');

-- How each target took what it was given last.
CREATE TABLE onceward_outbox_target (
    name      TEXT    NOT NULL PRIMARY KEY,
    sent_at   INTEGER,
    failed_at INTEGER,                        -- null: the last hand-over went well
    error     TEXT                            -- JSON
) WITHOUT ROWID, STRICT;
