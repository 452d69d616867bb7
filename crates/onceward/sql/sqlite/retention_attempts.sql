-- Deletes the attempts of some jobs.
DELETE FROM onceward_attempt WHERE job_id IN (SELECT value FROM jsonb_each(?1))
