-- Gives and locks schedules that are due; one that another process is firing is passed over.
SELECT name, cron, timezone, queue, kind, version, payload, missed, owner, paused_at, next_fire_at, last_fire_at, coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM onceward_schedule WHERE paused_at IS NULL AND next_fire_at <= coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) ORDER BY next_fire_at, name LIMIT ?2
