-- Gives what rules have told, and whether their last message is still on its way. Reads only.
SELECT alert.name, alert.number, alert.told, alert.told_at, alert.job_id,
    coalesce(job.state IN ('pending', 'running') OR (job.state = 'in_doubt' AND job.check_at IS NOT NULL), 0) AS on_its_way
FROM onceward_alert AS alert LEFT JOIN onceward_job AS job ON job.id = alert.job_id
WHERE alert.name IN (SELECT value FROM jsonb_each(?1))
