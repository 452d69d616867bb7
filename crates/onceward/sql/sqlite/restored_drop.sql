-- Forgets restored jobs that are done, or gone. One that was cancelled may have been sent for as long as it is there.
DELETE FROM onceward_restored WHERE NOT EXISTS (SELECT 1 FROM onceward_job_all WHERE id = job_id AND state <> 'done')
