-- The publisher: channels, contents, what belongs to them, and what feeds and archives have published.

CREATE TABLE onceward.channel (
    id         text    NOT NULL PRIMARY KEY,  -- made once; kept when the channel is renamed
    name       text    NOT NULL UNIQUE,
    created_at timestamptz NOT NULL
);

CREATE TABLE onceward.content (
    id         text    NOT NULL PRIMARY KEY,
    file       text    NOT NULL,
    title      text,
    source     text    NOT NULL,              -- JSON: the content as it was last enqueued
    publish_at timestamptz,                       -- the time in force: the file's, or a person's
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE onceward.content_job (
    content_id text    NOT NULL,
    channel_id text    NOT NULL,
    job_id     bigint NOT NULL,
    likeness   text    NOT NULL,              -- a hash of what readers get: recognises a file that was moved
    PRIMARY KEY (content_id, channel_id)
);

CREATE INDEX content_job_likeness ON onceward.content_job (channel_id, likeness);

CREATE TABLE onceward.media (
    sha256     text    NOT NULL PRIMARY KEY,
    mime       text    NOT NULL,
    bytes      bytea    NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE onceward.entry (
    channel_id   text    NOT NULL,
    content_id   text    NOT NULL,
    published_at timestamptz NOT NULL,
    entry        text    NOT NULL,            -- JSON
    PRIMARY KEY (channel_id, content_id)
);

CREATE INDEX entry_newest ON onceward.entry (channel_id, published_at);
