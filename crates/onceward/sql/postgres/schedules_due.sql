-- Gives and locks schedules that are due; one that another process is firing is passed over.
SELECT name, cron, timezone, queue, kind, version, payload, missed, owner, paused_at, next_fire_at, last_fire_at, coalesce($1, statement_timestamp()) AS now
FROM onceward.schedule WHERE paused_at IS NULL AND next_fire_at <= coalesce($1, statement_timestamp()) ORDER BY next_fire_at, name LIMIT $2
FOR UPDATE SKIP LOCKED
