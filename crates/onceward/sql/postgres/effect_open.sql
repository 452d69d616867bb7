-- Opens an effect of a job: allowed while the lease holds for so much longer, and nobody cancelled the job.
-- The job row is locked by this, so that no settling can overlook the effect.
UPDATE onceward.job SET open = open + (
    SELECT count(*) FROM onceward.effect
    WHERE job_id = $1 AND step = $3 AND generation = $5 AND state IN ('prepared', 'refused'))
WHERE id = $1 AND lease_token = $4 AND state = 'running' AND NOT stop
    AND leased_until >= coalesce($2, statement_timestamp()) + $6 * interval '1 microsecond'
RETURNING leased_until, coalesce($2, statement_timestamp()) AS now
