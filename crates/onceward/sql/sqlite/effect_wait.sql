-- Writes when an open effect is looked for of which nothing can be said now; null: a person decides.
UPDATE onceward_effect SET check_at = ?4
WHERE job_id = ?1 AND step = ?2 AND state IN ('sending', 'unknown')
    AND EXISTS (SELECT 1 FROM onceward_job WHERE id = ?1 AND lease_token = ?3 AND onceward_job.state = 'running')
RETURNING step
