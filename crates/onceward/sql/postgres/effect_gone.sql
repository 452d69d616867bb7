-- Writes that an open effect certainly did not happen, so that it can be sent, or given up. What was seen of it was
-- seen of that send alone.
UPDATE onceward.effect SET state = 'prepared', check_at = NULL, looks = 0, absent = 0, updated_at = coalesce($2, statement_timestamp())
WHERE job_id = $1 AND step = $3 AND state IN ('sending', 'unknown')
    AND EXISTS (SELECT 1 FROM onceward.job WHERE id = $1 AND lease_token = $4 AND job.state = 'running')
RETURNING step
