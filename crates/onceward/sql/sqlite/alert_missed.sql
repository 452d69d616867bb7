-- Gives what schedules left out within so many microseconds, the newest first, at most so many. Reads only.
SELECT queue, at, detail FROM onceward_event
WHERE what = 'missed' AND at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) - ?1 ORDER BY at DESC LIMIT ?3
