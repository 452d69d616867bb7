-- The queue: jobs, their leases, attempts, effects, dedup keys, and what a queue as a whole may do.
-- Instants are microseconds since 1970 in UTC.

CREATE TABLE onceward_job (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    queue         TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    version       INTEGER NOT NULL DEFAULT 1,
    payload       TEXT    NOT NULL,
    -- pending, running, done, dead, in_doubt or cancelled; a CHECK would cost every claim and settle a tenth of its time
    state         TEXT    NOT NULL,
    held_reason   TEXT,
    run_at        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    policy        TEXT,                       -- retry policy as JSON; null: the worker's
    dedup_scope   TEXT,
    dedup_key     TEXT,
    attempts      INTEGER NOT NULL DEFAULT 0, -- grows for ever
    tries         INTEGER NOT NULL DEFAULT 0, -- failures in the present budget; a revive opens a new one
    crashes       INTEGER NOT NULL DEFAULT 0, -- leases that expired while it ran alone
    lone          INTEGER NOT NULL DEFAULT 0, -- found in a crash: runs alone next
    open          INTEGER NOT NULL DEFAULT 0, -- its effects that are sending or unknown
    stop          INTEGER NOT NULL DEFAULT 0, -- cancelled after its intent: settle it, never send again
    checks        INTEGER NOT NULL DEFAULT 0, -- looks taken in the present doubt
    check_at      INTEGER,                    -- in doubt: when to look again; null: a person decides
    purpose       TEXT,                       -- of the present claim: run or verify
    lease_token   TEXT,
    lease_owner   TEXT,
    leased_until  INTEGER,
    claimed_at    INTEGER,
    claim_no      INTEGER NOT NULL DEFAULT 0,
    settled_token TEXT,                       -- the last token that settled it: the same answer twice
    waiting_since INTEGER,                    -- behind an outage of its queue
    failed_at     INTEGER,
    error_class   TEXT,
    error_code    TEXT,
    error_platform TEXT,
    last_error    TEXT,                       -- JSON
    result        TEXT,                       -- JSON receipt
    url           TEXT,
    discard_at    INTEGER,                    -- dead: cancelled then, until then it can be undone
    finished_at   INTEGER
) STRICT;

CREATE INDEX onceward_job_due   ON onceward_job (queue, run_at, id)    WHERE state = 'pending' AND held_reason IS NULL;
CREATE INDEX onceward_job_lease ON onceward_job (queue, leased_until)  WHERE state = 'running';
CREATE INDEX onceward_job_doubt ON onceward_job (queue, check_at)      WHERE state = 'in_doubt';
CREATE INDEX onceward_job_dead  ON onceward_job (queue, error_code, id) WHERE state = 'dead';
CREATE INDEX onceward_job_discard ON onceward_job (discard_at)         WHERE state = 'dead' AND discard_at IS NOT NULL;
CREATE INDEX onceward_job_held  ON onceward_job (held_reason)          WHERE state = 'pending' AND held_reason IS NOT NULL;
CREATE INDEX onceward_job_lone  ON onceward_job (queue, state)         WHERE lone = 1;

-- One place to look for a job, whether it is finished or not.
CREATE VIEW onceward_job_all AS SELECT * FROM onceward_job;

CREATE TABLE onceward_attempt (
    job_id      INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    purpose     TEXT    NOT NULL,
    worker      TEXT,
    started_at  INTEGER,
    finished_at INTEGER NOT NULL,
    outcome     TEXT    NOT NULL,
    error       TEXT,
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID, STRICT;

-- Every attempt. The one that ended in `done` is not written a second time: its job says all of it.
CREATE VIEW onceward_attempt_all AS
SELECT job_id, number, purpose, worker, started_at, finished_at, outcome, error FROM onceward_attempt
UNION ALL
SELECT id, attempts, purpose, lease_owner, claimed_at, finished_at, 'done', NULL FROM onceward_job_all
WHERE state = 'done' AND purpose IS NOT NULL;

-- The ledger: what changes the world, written before the first byte leaves.
CREATE TABLE onceward_effect (
    job_id        INTEGER NOT NULL,
    step          TEXT    NOT NULL,
    generation    INTEGER NOT NULL DEFAULT 1,
    queue         TEXT    NOT NULL,
    class         TEXT    NOT NULL,           -- JSON
    key           TEXT    NOT NULL,           -- made once, kept for ever
    request       TEXT    NOT NULL,           -- frozen: a repeat is byte for byte the same
    request_hash  TEXT    NOT NULL,
    closes        INTEGER NOT NULL DEFAULT 0, -- with this step accepted the job is done
    state         TEXT    NOT NULL CHECK (state IN ('prepared','sending','accepted','refused','unknown')),
    token         TEXT,                       -- of the lease that wrote `sending`
    sends         INTEGER NOT NULL DEFAULT 0,
    looks         INTEGER NOT NULL DEFAULT 0,
    absent        INTEGER NOT NULL DEFAULT 0,
    first_sent_at INTEGER,
    last_sent_at  INTEGER,
    quiet_until   INTEGER,
    check_at      INTEGER,                    -- open: when to look again; null: a person decides
    remote_id     TEXT,
    remote_url    TEXT,
    response      TEXT,                       -- JSON: what proves it, or why it was refused
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (job_id, step, generation)
) WITHOUT ROWID, STRICT;

CREATE UNIQUE INDEX onceward_effect_remote ON onceward_effect (queue, remote_id) WHERE remote_id IS NOT NULL;

CREATE TABLE onceward_dedup (
    scope        TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    job_id       INTEGER NOT NULL,
    payload_hash TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    url          TEXT,
    expires_at   INTEGER,                     -- null: for ever, or until settled
    until_settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID, STRICT;

CREATE INDEX onceward_dedup_expiry ON onceward_dedup (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE onceward_queue (
    name          TEXT    NOT NULL PRIMARY KEY,
    concurrency   INTEGER,
    rate          TEXT,
    rate_tat      INTEGER,
    not_before    INTEGER,
    paused_at     INTEGER,
    paused_reason TEXT,
    circuit_policy TEXT,                      -- JSON
    circuit       TEXT                        -- JSON
) WITHOUT ROWID, STRICT;

CREATE TABLE onceward_schedule (
    name         TEXT    NOT NULL PRIMARY KEY,
    cron         TEXT    NOT NULL,
    timezone     TEXT    NOT NULL,
    queue        TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    version      INTEGER NOT NULL DEFAULT 1,
    payload      TEXT    NOT NULL,
    missed       TEXT    NOT NULL,
    paused_at    INTEGER,
    next_fire_at INTEGER,
    last_fire_at INTEGER
) WITHOUT ROWID, STRICT;

-- Status figures: deltas are only inserted, and folded by the keeper.
CREATE TABLE onceward_counter (
    queue TEXT NOT NULL, what TEXT NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (queue, what)
) WITHOUT ROWID, STRICT;

CREATE TABLE onceward_counter_delta (
    id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, what TEXT NOT NULL, n INTEGER NOT NULL
) STRICT;

-- What happened to a queue as a whole.
CREATE TABLE onceward_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, queue TEXT NOT NULL, what TEXT NOT NULL, detail TEXT
) STRICT;

CREATE TABLE onceward_worker (
    boot       TEXT NOT NULL PRIMARY KEY,
    queues     TEXT NOT NULL,                 -- JSON
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- Housekeeping that one process does at a time.
CREATE TABLE onceward_duty (
    name TEXT NOT NULL PRIMARY KEY, next_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

INSERT INTO onceward_duty (name, next_at) VALUES
    ('reap', 0), ('fold_counters', 0), ('schedules', 0), ('discard', 0), ('workers', 0), ('retention', 0), ('partitions', 0);
