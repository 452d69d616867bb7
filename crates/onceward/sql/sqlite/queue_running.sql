-- Counts the jobs of a queue that run. Asked after its row is locked, and not with it: a statement that waited for the lock
-- counts what was there before.
SELECT count(*) AS n FROM onceward_job WHERE queue = ?1 AND state = 'running'
