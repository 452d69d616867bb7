-- Says that a process is there, and which queues it serves.
INSERT INTO onceward.worker (boot, queues, started_at, seen_at) VALUES ($1, $3, coalesce($2, statement_timestamp()), coalesce($2, statement_timestamp()))
ON CONFLICT (boot) DO UPDATE SET queues = excluded.queues, seen_at = excluded.seen_at
