-- Gives what a decision about leased jobs needs to know, for those whose lease is still held.
SELECT job.lease_token AS token, job.id, job.purpose, job.attempts, job.tries, job.crashes, job.lone, job.open, job.stop, job.checks, job.policy,
    job.failed_at, job.waiting_since, job.claimed_at, job.lease_owner, job.dedup_scope, job.dedup_key,
    CASE WHEN job.open > 0 THEN (SELECT min(check_at) FROM onceward.effect
        WHERE job_id = job.id AND state IN ('sending', 'unknown')) END AS look_at,
    coalesce($2, statement_timestamp()) AS now
FROM json_to_recordset($1::text::json) AS item (id bigint, token text) JOIN onceward.job USING (id)
WHERE job.lease_token = item.token AND job.state = 'running'
