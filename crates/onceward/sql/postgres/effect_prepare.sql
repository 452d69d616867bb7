-- Freezes the request of a step and its key, before anything is sent. Nothing happens without the lease.
INSERT INTO onceward.effect
    (job_id, step, generation, queue, class, key, request, request_hash, closes, state, updated_at)
SELECT id, $3, $5, queue, $6, $7, $8, $9, $10 <> 0, 'prepared', coalesce($2, statement_timestamp()) FROM onceward.job
WHERE id = $1 AND lease_token = $4 AND state = 'running'
ON CONFLICT (job_id, step, generation) DO NOTHING
