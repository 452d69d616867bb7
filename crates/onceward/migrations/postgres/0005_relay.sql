-- How relays stand, as whoever runs them saw it last: for `status` and alerts of every process.
CREATE TABLE onceward.relay (
    name       text   NOT NULL PRIMARY KEY,
    waiting    bigint NOT NULL,
    oldest_at  timestamptz,                    -- of the waiting
    refused    bigint NOT NULL,
    refused_at timestamptz,                    -- when the oldest of the refused was written
    away_since timestamptz,                    -- the outbox cannot be read since then
    error      text
);
