-- Gives all schedules by name.
SELECT name, cron, timezone, queue, kind, version, payload, missed, owner, paused_at, next_fire_at, last_fire_at FROM onceward_schedule ORDER BY name
