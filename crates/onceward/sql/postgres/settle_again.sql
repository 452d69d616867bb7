-- Gives the state of jobs that the same token has settled before: settling twice gets the same answer.
SELECT job.id, job.settled_token AS token, job.state
FROM json_to_recordset($1::text::json) AS item (id bigint, token text) JOIN onceward.job_all AS job USING (id)
WHERE job.settled_token = item.token
