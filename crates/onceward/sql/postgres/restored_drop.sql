-- Forgets restored jobs that are over.
DELETE FROM onceward.restored WHERE NOT EXISTS (SELECT FROM onceward.job WHERE id = job_id)
