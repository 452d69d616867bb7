-- How relays stand, as whoever runs them saw it last: for `status` and alerts of every process.
CREATE TABLE onceward_relay (
    name       TEXT    NOT NULL PRIMARY KEY,
    waiting    INTEGER NOT NULL,
    oldest_at  INTEGER,                        -- of the waiting
    refused    INTEGER NOT NULL,
    refused_at INTEGER,                        -- when the oldest of the refused was written
    away_since INTEGER,                        -- the outbox cannot be read since then
    error      TEXT
) WITHOUT ROWID, STRICT;
