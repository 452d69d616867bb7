-- Gives and locks what holds a queue back.
SELECT paused_at, paused_reason, not_before, circuit, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now FROM onceward_queue WHERE name = ?1
