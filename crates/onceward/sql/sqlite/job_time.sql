-- Gives when a job that is not over may run.
SELECT run_at FROM onceward_job WHERE id = ?1
