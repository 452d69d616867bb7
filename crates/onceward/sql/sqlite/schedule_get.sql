-- Gives and locks a schedule.
SELECT name, cron, timezone, queue, kind, version, payload, missed, owner, paused_at, next_fire_at, last_fire_at, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now FROM onceward_schedule WHERE name = ?1
