-- Removes a schedule; the jobs that it made stay.
DELETE FROM onceward.schedule WHERE name = $1
