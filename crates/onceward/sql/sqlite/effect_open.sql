-- Opens an effect of a job: allowed while the lease holds for so much longer, and nobody cancelled the job.
-- The job row is locked by this, so that no settling can overlook the effect.
UPDATE onceward_job SET open = open + (
    SELECT count(*) FROM onceward_effect
    WHERE job_id = ?1 AND step = ?3 AND generation = ?5 AND state IN ('prepared', 'refused'))
WHERE id = ?1 AND lease_token = ?4 AND state = 'running' AND stop = 0 AND leased_until >= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + ?6
RETURNING leased_until, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
