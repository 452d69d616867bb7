-- Gives how those of the named jobs ended that did. To be run after job_lock, so that none is between the two.
SELECT id, state FROM onceward_job WHERE id IN (SELECT value FROM jsonb_each(?1)) AND state IN ('done', 'cancelled')
