-- Removes the schedules of an owner that are not among those named; the jobs that they made stay.
DELETE FROM onceward.schedule WHERE owner = $1 AND name NOT IN (SELECT json_array_elements_text($2::text::json))
RETURNING name
