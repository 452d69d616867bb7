-- Deletes the attempts of some jobs.
DELETE FROM onceward_attempt WHERE job_id IN (SELECT value FROM json_each(?1))
