-- What the rules of alerts have told, so that each thing is told once, by whichever process.
CREATE TABLE onceward_alert (
    name    TEXT    NOT NULL PRIMARY KEY,
    number  INTEGER NOT NULL,               -- of its last message; whoever writes names the one that he saw
    told    TEXT    NOT NULL,               -- JSON: what stood wrong when it last spoke
    told_at INTEGER NOT NULL,
    job_id  INTEGER                         -- its last message
) STRICT;

-- When a queue was let go, and what was missed.
CREATE INDEX onceward_event_what ON onceward_event (what, queue, at);
