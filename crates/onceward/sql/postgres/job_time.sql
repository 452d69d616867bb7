-- Gives when a job that is not over may run, and locks it.
SELECT run_at FROM onceward.job WHERE id = $1 FOR UPDATE
