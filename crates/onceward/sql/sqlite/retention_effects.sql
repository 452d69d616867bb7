-- Deletes the effects of some jobs.
DELETE FROM onceward_effect WHERE job_id IN (SELECT value FROM jsonb_each(?1))
