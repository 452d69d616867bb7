-- Gives the jobs of the named contents, and whether they are on their way, or may have been sent before a loss. The state
-- is null when retention has dropped the job.
SELECT link.content_id, link.channel_id, link.job_id, job.state, job.held_reason,
    EXISTS (SELECT 1 FROM onceward_effect AS effect WHERE effect.job_id = link.job_id) AS sent,
    EXISTS (SELECT 1 FROM onceward_restored AS restored WHERE restored.job_id = link.job_id) AS restored
FROM jsonb_each(?1) AS item
CROSS JOIN onceward_content_job AS link ON link.content_id = item.value
LEFT JOIN onceward_job_all AS job ON job.id = link.job_id
