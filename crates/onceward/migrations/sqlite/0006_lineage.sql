-- The lineage of this store. A backup that is put in its place begins another one: the last commits of the one before are
-- missing there, and with them what they said of things that were sent.
CREATE TABLE onceward_lineage (
    one       INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    name      TEXT,                           -- 'copy': a backup, to which nobody has written yet
    since     INTEGER,                        -- when the present one was first seen, if another one was before it
    lost_from INTEGER                         -- what was committed later than this may be missing
) STRICT;
INSERT INTO onceward_lineage DEFAULT VALUES;

-- Jobs from before the present lineage, of which more may have been sent than their rows say.
CREATE TABLE onceward_restored (
    job_id    INTEGER NOT NULL PRIMARY KEY,
    since     INTEGER NOT NULL,
    lost_from INTEGER NOT NULL
) STRICT;
