-- Gives and locks a schedule.
SELECT name, cron, timezone, queue, kind, version, payload, missed, owner, paused_at, next_fire_at, last_fire_at, coalesce($2, statement_timestamp()) AS now FROM onceward.schedule WHERE name = $1 FOR UPDATE
