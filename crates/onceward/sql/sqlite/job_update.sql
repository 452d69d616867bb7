-- Changes a job in place while none of its effects was prepared, here or in commits that were lost; gives no row when it is
-- too late.
UPDATE onceward_job SET payload = ?2, run_at = coalesce(?3, run_at), held_reason = ?4, version = ?5
WHERE id = ?1 AND state IN ('pending', 'dead') AND NOT EXISTS (SELECT 1 FROM onceward_effect WHERE job_id = ?1)
    AND NOT EXISTS (SELECT 1 FROM onceward_restored WHERE job_id = ?1)
RETURNING id
