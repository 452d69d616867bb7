-- Gives what schedules left out within so many microseconds, the newest first, at most so many. Reads only.
SELECT queue, at, detail FROM onceward.event
WHERE what = 'missed' AND at > coalesce($2, statement_timestamp()) - $1 * interval '1 microsecond' ORDER BY at DESC LIMIT $3
