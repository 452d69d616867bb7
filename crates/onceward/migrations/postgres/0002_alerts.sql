-- What the rules of alerts have told, so that each thing is told once, by whichever process.
CREATE TABLE onceward.alert (
    name    text        NOT NULL PRIMARY KEY,
    number  bigint      NOT NULL,           -- of its last message; whoever writes names the one that he saw
    told    text        NOT NULL,           -- JSON: what stood wrong when it last spoke
    told_at timestamptz NOT NULL,
    job_id  bigint                          -- its last message
);

-- When a queue was let go, and what was missed.
CREATE INDEX event_what ON onceward.event (what, queue, at);
