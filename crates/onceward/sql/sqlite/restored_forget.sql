-- Forgets that more of the named jobs may have been sent: a person answers for them.
DELETE FROM onceward_restored WHERE job_id IN (SELECT value FROM json_each(?1))
