-- Forgets restored jobs that are done, or gone. One that was cancelled may have been sent for as long as it is there.
DELETE FROM onceward.restored WHERE NOT EXISTS (SELECT FROM onceward.job_all WHERE id = job_id AND state <> 'done')
