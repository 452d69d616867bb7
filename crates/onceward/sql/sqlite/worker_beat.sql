-- Says that a process is there, and which queues it serves.
INSERT INTO onceward_worker (boot, queues, started_at, seen_at) VALUES (?1, ?3, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (boot) DO UPDATE SET queues = excluded.queues, seen_at = excluded.seen_at
