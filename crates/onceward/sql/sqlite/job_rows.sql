-- Gives what people see of the named jobs, whether they are finished or not.
SELECT job.id, job.queue, job.kind, job.version, job.payload, job.state, job.held_reason, job.run_at, job.created_at, job.attempts,
    job.tries, job.crashes, job.open, job.stop, job.check_at, job.leased_until, job.lease_owner, job.error_class,
    job.error_code, job.last_error, job.result, job.url, job.discard_at, job.finished_at,
    (job.state <> 'done' AND EXISTS (SELECT 1 FROM onceward_maybe_sent WHERE job_id = job.id)
        OR EXISTS (SELECT 1 FROM onceward_lineage WHERE name = 'copy' AND job.state NOT IN ('done', 'cancelled'))) AS restored
FROM jsonb_each(?1) AS item CROSS JOIN onceward_job_all AS job ON job.id = item.value
