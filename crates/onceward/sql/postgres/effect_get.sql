-- Gives the newest generation of a step, as long as the lease that asks still holds.
SELECT generation, class, key, request, request_hash, state, sends, looks, absent, first_sent_at, quiet_until,
    remote_id, remote_url, response, coalesce($2, statement_timestamp()) AS now FROM onceward.effect
WHERE job_id = $1 AND step = $3
    AND EXISTS (SELECT 1 FROM onceward.job WHERE id = $1 AND lease_token = $4 AND job.state = 'running')
ORDER BY generation DESC LIMIT 1
