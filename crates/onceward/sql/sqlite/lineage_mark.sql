-- Notes the jobs of which more may have been sent than their rows say: those that
-- run, are in doubt, or are due, and those that a person may have let go: dead or held.
-- ?1 is of use to the other engine alone.
INSERT INTO onceward_restored (job_id, since, lost_from)
SELECT id, ?2, ?3 FROM onceward_job
WHERE (state IN ('running', 'in_doubt', 'dead') OR (state = 'pending' AND (held_reason IS NOT NULL OR run_at <= ?2 + ?4))) AND coalesce(?1, 0) IS NOT NULL
ON CONFLICT (job_id) DO UPDATE SET since = excluded.since, lost_from = min(lost_from, excluded.lost_from)
