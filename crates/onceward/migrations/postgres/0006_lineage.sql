-- The lineage of this store. A standby that is promoted begins another one, and so does a backup that is put in its place:
-- the last commits of the one before may be missing there, and with them what they said of things that were sent.
CREATE TABLE onceward.lineage (
    one       bigint NOT NULL PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    name      text,                           -- of the present one; null: not known yet
    since     timestamptz,                    -- when it was first seen, if another one was before it
    lost_from timestamptz                     -- what was committed later than this may be missing
);
INSERT INTO onceward.lineage DEFAULT VALUES;

-- Jobs from before the present lineage, of which more may have been sent than their rows say.
CREATE TABLE onceward.restored (
    job_id    bigint NOT NULL PRIMARY KEY,
    since     timestamptz NOT NULL,
    lost_from timestamptz NOT NULL
);

-- The lineage that this server writes: its cluster and its timeline. Null where it cannot be told.
CREATE FUNCTION onceward.lineage_name() RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function OR object_not_in_prerequisite_state THEN
    RETURN NULL;
END $$;
