-- Fails for what cannot be kept: a version, an instant or a time that is out of bounds; and for an empty dedup key, which
-- would make one job of all that have it.
CREATE OR REPLACE FUNCTION onceward.check_bounds(version bigint, run_at timestamptz, dedup_key text, dedup_for interval, until_settled boolean)
    RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF version IS NULL OR version NOT BETWEEN 0 AND 4294967295 THEN
        PERFORM onceward.refuse('bad_version', format('version %s: expected 0 to 4294967295', version), 'Leave it out, or give the version of the payload.');
    ELSIF run_at NOT BETWEEN '0001-01-01 00:00:00Z' AND '9999-12-30 00:00:00Z' THEN
        PERFORM onceward.refuse('bad_time', format('run_at %s: expected the years 1 to 9999', run_at), 'Leave it out to run the job at once.');
    ELSIF dedup_key = '' THEN
        PERFORM onceward.refuse('bad_dedup', 'the dedup key is empty', 'Name what there is one of, or leave it out.');
    ELSIF dedup_for NOT BETWEEN '0' AND '1000 years' THEN
        PERFORM onceward.refuse('bad_dedup', format('dedup_for %s: expected 0 to 1000 years', dedup_for), 'Leave it out to keep others out for ever.');
    ELSIF (dedup_for IS NOT NULL OR until_settled) AND dedup_key IS NULL OR dedup_for IS NOT NULL AND until_settled THEN
        PERFORM onceward.refuse('bad_dedup', 'dedup_for and until_settled each say how long a dedup_key counts', 'Give a dedup_key, and one of the two at most.');
    END IF;
END $$;

-- Fails for a reason to hold a job that says nothing, or more than a line can.
CREATE FUNCTION onceward.check_reason(reason text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF reason !~ '\S' OR octet_length(convert_to(reason, 'UTF8')) > 500 THEN
        PERFORM onceward.refuse('bad_reason', 'the reason: expected 1 to 500 bytes that are no blanks', 'Say in a few words what the job waits for, or leave it out.');
    END IF;
END $$;

-- Enqueues one job: it exists if and only if the caller's transaction commits. Only inserts. Gives the id of the job and
-- `new`, or `skipped` and the job that has the dedup key. Fails for what no queue takes (OW001), and for a dedup key
-- whose job carries another payload (OW002).
CREATE OR REPLACE FUNCTION onceward.enqueue(
    queue         text,
    kind          text,
    payload       text,
    version       bigint      DEFAULT 1,
    dedup_key     text        DEFAULT NULL,  -- one job per key
    dedup_for     interval    DEFAULT NULL,  -- how long the key keeps others out; null: for ever
    until_settled boolean     DEFAULT false, -- the key keeps others out until its job is done, dead or cancelled
    run_at        timestamptz DEFAULT NULL,  -- not before
    hold          text        DEFAULT NULL,  -- waits for a release, with this reason shown
    OUT id        bigint,
    OUT enqueued  text
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    moment     timestamptz := statement_timestamp();
    hashed_key text := encode(sha256(convert_to(dedup_key, 'UTF8')), 'hex');
    compared   text;
    hash       text;
    holder     record;
BEGIN
    compared := onceward.checked_payload(payload, dedup_key IS NOT NULL);
    PERFORM onceward.check_name('queue', queue), onceward.check_name('kind', kind),
        onceward.check_bounds(version, run_at, dedup_key, dedup_for, until_settled), onceward.check_reason(hold);
    id := nextval('onceward.job_id_seq');
    enqueued := 'new';
    IF dedup_key IS NOT NULL THEN
        hash := encode(sha256(convert_to(kind, 'UTF8') || '\x00' || convert_to(compared, 'UTF8')), 'hex');
        -- A key whose time is over changes hands. Another taker of the same key waits for this transaction.
        INSERT INTO onceward.dedup AS held (scope, key, job_id, payload_hash, state, expires_at, until_settled)
        VALUES ('job', hashed_key, id, hash, 'pending', moment + dedup_for, coalesce(until_settled, false))
        ON CONFLICT (scope, key) DO UPDATE SET
            job_id = CASE WHEN held.expires_at <= moment THEN excluded.job_id ELSE held.job_id END,
            payload_hash = CASE WHEN held.expires_at <= moment THEN excluded.payload_hash ELSE held.payload_hash END,
            state = CASE WHEN held.expires_at <= moment THEN excluded.state ELSE held.state END,
            url = CASE WHEN held.expires_at <= moment THEN NULL ELSE held.url END,
            until_settled = CASE WHEN held.expires_at <= moment THEN excluded.until_settled ELSE held.until_settled END,
            expires_at = CASE WHEN held.expires_at <= moment THEN excluded.expires_at ELSE held.expires_at END
        RETURNING held.job_id, held.payload_hash INTO holder;
        IF holder.job_id <> id AND holder.payload_hash <> hash THEN
            RAISE 'job % has dedup key % with another payload; it was left as it is', holder.job_id, quote_literal(dedup_key)
                USING ERRCODE = 'OW002', DETAIL = 'dedup_conflict', HINT = 'Use another key, or change that job.';
        ELSIF holder.job_id <> id THEN
            id := holder.job_id;
            enqueued := 'skipped';
        END IF;
    END IF;
    IF enqueued = 'new' THEN
        INSERT INTO onceward.job (id, queue, kind, version, payload, state, held_reason, run_at, created_at, dedup_scope, dedup_key)
        VALUES (id, queue, kind, version, payload, 'pending', hold, coalesce(run_at, moment), moment,
            CASE WHEN dedup_key IS NOT NULL THEN 'job' END, hashed_key);
    END IF;
    INSERT INTO onceward.counter_delta (queue, what, n)
    VALUES (queue, CASE enqueued WHEN 'new' THEN 'pending' ELSE enqueued END, 1);
END $$;
