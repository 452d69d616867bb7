-- Notes the jobs of which more may have been sent than their rows say: those that run, are in doubt, or are due, and those
-- that a person may have let go: dead or held.
-- What was enqueued on the new lineage is not among them. The clocks of two servers may differ by $4.
INSERT INTO onceward.restored AS held (job_id, since, lost_from)
SELECT id, $2, $3 FROM onceward.job
WHERE (state IN ('running', 'in_doubt', 'dead') OR (state = 'pending'
        AND (held_reason IS NOT NULL OR run_at <= $2::timestamptz + $4 * interval '1 microsecond')))
    AND ($1::timestamptz IS NOT NULL OR created_at <= coalesce(pg_last_xact_replay_timestamp() + $4 * interval '1 microsecond', 'infinity'))
ON CONFLICT (job_id) DO UPDATE SET since = excluded.since, lost_from = least(held.lost_from, excluded.lost_from)
