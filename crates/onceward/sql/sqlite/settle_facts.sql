-- Gives what a decision about leased jobs needs to know, for those whose lease is still held.
SELECT job.lease_token AS token, job.id, job.purpose, job.attempts, job.tries, job.crashes, job.lone, job.open, job.stop, job.checks, job.policy,
    job.failed_at, job.waiting_since, job.claimed_at, job.lease_owner, job.dedup_scope, job.dedup_key,
    iif(job.open > 0, (SELECT min(check_at) FROM onceward_effect
        WHERE job_id = job.id AND state IN ('sending', 'unknown')), NULL) AS look_at,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM jsonb_each(?1) AS item JOIN onceward_job AS job ON job.id = item.value ->> '$.id'
WHERE job.lease_token = item.value ->> '$.token' AND job.state = 'running'
