-- Removes a schedule; the jobs that it made stay.
DELETE FROM onceward_schedule WHERE name = ?1
