-- Gives the named jobs as they stand now.
SELECT job.id, job.queue, job.state, job.held_reason, job.run_at, job.attempts, job.check_at, job.url, job.last_error,
    EXISTS (SELECT 1 FROM onceward_restored AS restored WHERE restored.job_id = job.id
        AND NOT EXISTS (SELECT 1 FROM onceward_effect AS effect WHERE effect.job_id = job.id AND effect.updated_at > restored.since)) AS restored,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM jsonb_each(?1) AS item CROSS JOIN onceward_job_all AS job ON job.id = item.value
