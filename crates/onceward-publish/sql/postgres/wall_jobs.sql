-- Gives the jobs of a content that wait at the given time and were never tried.
SELECT link.job_id FROM onceward.content_job AS link JOIN onceward.job AS job ON job.id = link.job_id
WHERE link.content_id = $1 AND job.state = 'pending' AND job.attempts = 0 AND job.run_at = $2
