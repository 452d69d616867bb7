-- Counts a step that may have been sent in the lost commits among the open ones of its job, under its lease.
UPDATE onceward_job SET open = open + (
    SELECT count(*) FROM onceward_effect
    WHERE job_id = ?1 AND step = ?2 AND generation = ?4 AND state IN ('prepared', 'refused'))
WHERE id = ?1 AND lease_token = ?3 AND state = 'running'
RETURNING open
