-- Says what became of the job that has a key, also when retention has dropped the job itself.
SELECT coalesce(job.state, held.state) AS state, coalesce(job.url, held.url) AS url
FROM onceward.dedup AS held LEFT JOIN onceward.job_all AS job ON job.id = held.job_id
WHERE held.scope = $1 AND held.key = $2
