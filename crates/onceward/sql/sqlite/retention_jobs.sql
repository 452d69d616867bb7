-- Deletes some finished jobs, unless a whole partition will be dropped with them; their dedup keys stay.
DELETE FROM onceward_job WHERE id IN (SELECT value FROM jsonb_each(?1)) AND state IN ('done', 'cancelled')
RETURNING queue, state
