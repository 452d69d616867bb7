-- Writes that an open effect turned out to have happened, unless another job owns that remote id already.
UPDATE onceward.effect SET
    state = 'accepted', check_at = NULL, response = $7, updated_at = coalesce($2, statement_timestamp()), remote_id = coalesce($5, remote_id),
    remote_url = coalesce($6, remote_url), looks = looks + 1
WHERE job_id = $1 AND step = $3 AND state IN ('sending', 'unknown')
    AND EXISTS (SELECT 1 FROM onceward.job WHERE id = $1 AND lease_token = $4 AND job.state = 'running')
    AND NOT EXISTS (SELECT 1 FROM onceward.effect AS other
                    WHERE other.queue = effect.queue AND other.remote_id = $5 AND other.job_id <> $1)
RETURNING step
