-- Deletes the effects of some jobs.
DELETE FROM onceward_effect WHERE job_id IN (SELECT value FROM json_each(?1))
