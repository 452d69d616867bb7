-- Writes what its owner says of a schedule. While its times stay the same, so does what it owes.
INSERT INTO onceward_schedule (name, cron, timezone, queue, kind, version, payload, missed, next_fire_at, owner)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (name) DO UPDATE SET
    next_fire_at = iif((cron, timezone) = (excluded.cron, excluded.timezone), next_fire_at, excluded.next_fire_at),
    cron = excluded.cron, timezone = excluded.timezone, queue = excluded.queue, kind = excluded.kind,
    version = excluded.version, payload = excluded.payload, missed = excluded.missed, owner = excluded.owner
