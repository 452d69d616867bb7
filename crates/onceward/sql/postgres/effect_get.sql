-- Gives the newest generation of a step, and whether its job was told to stop, as long as the lease that asks still holds.
SELECT effect.generation, effect.class, effect.key, effect.request, effect.request_hash, effect.state, effect.sends, effect.looks,
    effect.absent, effect.first_sent_at, effect.quiet_until, effect.remote_id, effect.remote_url, effect.response,
    job.stop, coalesce($2, statement_timestamp()) AS now
FROM onceward.effect AS effect
JOIN onceward.job AS job ON job.id = effect.job_id
WHERE effect.job_id = $1 AND effect.step = $3 AND job.lease_token = $4 AND job.state = 'running'
ORDER BY effect.generation DESC LIMIT 1
