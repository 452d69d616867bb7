-- Removes the schedules of an owner that are not among those named; the jobs that they made stay.
DELETE FROM onceward_schedule WHERE owner = ?1 AND name NOT IN (SELECT value FROM jsonb_each(?2))
RETURNING name
