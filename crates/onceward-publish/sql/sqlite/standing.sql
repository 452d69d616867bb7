-- Gives the named jobs as they stand now.
SELECT job.id, job.queue, job.state, job.held_reason, job.run_at, job.attempts, job.tries, job.checks, job.check_at, job.url, job.last_error,
    (job.state <> 'done' AND EXISTS (SELECT 1 FROM onceward_maybe_sent WHERE job_id = job.id)
        OR EXISTS (SELECT 1 FROM onceward_lineage WHERE name = 'copy' AND job.state NOT IN ('done', 'cancelled'))) AS restored,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM jsonb_each(?1) AS item CROSS JOIN onceward_job_all AS job ON job.id = item.value
