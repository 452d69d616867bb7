-- Writes that a look did not find an open effect, and when to look again; null: a person decides.
UPDATE onceward.effect SET looks = looks + 1, absent = absent + $5, check_at = $6, state = 'unknown', updated_at = coalesce($2, statement_timestamp())
WHERE job_id = $1 AND step = $3 AND state IN ('sending', 'unknown')
    AND EXISTS (SELECT 1 FROM onceward.job WHERE id = $1 AND lease_token = $4 AND job.state = 'running')
RETURNING step
