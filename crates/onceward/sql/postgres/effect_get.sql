-- Gives the newest generation of a step, as long as the lease that asks still holds; without one, a row of nulls.
-- Also whether its job was told to stop, and whether it was restored and the step looked at since: by more than what the clocks of two servers may differ.
SELECT generation, class, key, request, request_hash, effect.state, sends, looks, absent, first_sent_at, quiet_until,
    remote_id, remote_url, response, job.stop, coalesce($2, statement_timestamp()) AS now, restored.since, restored.lost_from,
    coalesce(effect.updated_at > restored.since + $5 * interval '1 microsecond', false) AS seen_since, coalesce(effect.last_sent_at <= restored.since, false) AS lost,
    leased_until, claimed_at
FROM onceward.job
LEFT JOIN onceward.effect ON effect.job_id = $1 AND step = $3
    AND generation = (SELECT max(generation) FROM onceward.effect WHERE job_id = $1 AND step = $3)
LEFT JOIN onceward.restored ON restored.job_id = id
WHERE id = $1 AND lease_token = $4 AND job.state = 'running'
