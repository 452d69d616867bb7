-- Notes the jobs of which more may have been sent than their rows say: those that run, are in doubt, dead or held, and those
-- that were due until ?3, or all (null). What was enqueued after ?4, on the new lineage, is not among them.
INSERT INTO onceward_restored (job_id, since, lost_from)
SELECT id, ?1, ?2 FROM onceward_job
WHERE state NOT IN ('done', 'cancelled')
    AND (state <> 'pending' OR held_reason IS NOT NULL OR ?3 IS NULL OR run_at <= ?3)
    AND (?4 IS NULL OR created_at <= ?4)
ON CONFLICT (job_id) DO UPDATE SET since = excluded.since, lost_from = min(lost_from, excluded.lost_from)
