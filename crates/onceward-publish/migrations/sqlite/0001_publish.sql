-- The publisher: channels, contents, what belongs to them, and what feeds and archives have published.
-- Instants are microseconds since 1970 in UTC.

CREATE TABLE onceward_channel (
    id         TEXT    NOT NULL PRIMARY KEY,  -- made once; kept when the channel is renamed
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE onceward_content (
    id         TEXT    NOT NULL PRIMARY KEY,
    file       TEXT    NOT NULL,
    title      TEXT,
    source     TEXT    NOT NULL,              -- JSON: the content as it was last enqueued
    publish_at INTEGER,                       -- the time in force: the file's, or a person's
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE onceward_content_job (
    content_id TEXT    NOT NULL,
    channel_id TEXT    NOT NULL,
    job_id     INTEGER NOT NULL,
    likeness   TEXT    NOT NULL,              -- a hash of what readers get: recognises a file that was moved
    PRIMARY KEY (content_id, channel_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX onceward_content_job_likeness ON onceward_content_job (channel_id, likeness);

CREATE TABLE onceward_media (
    sha256     TEXT    NOT NULL PRIMARY KEY,
    mime       TEXT    NOT NULL,
    bytes      BLOB    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE onceward_entry (
    channel_id   TEXT    NOT NULL,
    content_id   TEXT    NOT NULL,
    published_at INTEGER NOT NULL,
    entry        TEXT    NOT NULL,            -- JSON
    PRIMARY KEY (channel_id, content_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX onceward_entry_newest ON onceward_entry (channel_id, published_at);
