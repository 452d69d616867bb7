-- Gives the state of jobs that the same token has settled before: settling twice gets the same answer.
SELECT job.id, job.settled_token AS token, job.state
FROM jsonb_each(?1) AS item JOIN onceward_job_all AS job ON job.id = item.value ->> '$.id'
WHERE job.settled_token = item.value ->> '$.token'
