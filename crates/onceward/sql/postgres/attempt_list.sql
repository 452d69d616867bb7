-- Gives the newest attempts of a job, the first of them first.
SELECT * FROM (
    SELECT number, purpose, worker, started_at, finished_at, outcome, error FROM onceward.attempt_all
    WHERE job_id = $1 ORDER BY number DESC LIMIT $2
) AS newest ORDER BY number
