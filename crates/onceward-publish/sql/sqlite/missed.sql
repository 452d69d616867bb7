-- Gives the jobs of a channel that wait at the very time their content asked for, and are late by more than ?2 microseconds.
-- A job that a person released or moved has another time, and is not among them.
SELECT link.job_id
FROM onceward_job AS job JOIN onceward_content_job AS link ON link.job_id = job.id
JOIN onceward_content AS content ON content.id = link.content_id
WHERE job.queue = ?1 AND job.state = 'pending' AND job.held_reason IS NULL AND job.attempts = 0
    AND job.run_at = content.publish_at
    AND content.publish_at + ?2 < coalesce(?3, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
