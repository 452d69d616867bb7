-- Forgets restored jobs that are over.
DELETE FROM onceward_restored
WHERE NOT EXISTS (SELECT 1 FROM onceward_job WHERE id = job_id AND state NOT IN ('done', 'cancelled'))
