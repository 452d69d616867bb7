-- Pauses a queue that is not paused; gives no row when it is, and leaves that pause its reason.
INSERT INTO onceward_queue (name, paused_at, paused_reason) VALUES (?1, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), ?3)
ON CONFLICT (name) DO UPDATE SET paused_at = excluded.paused_at, paused_reason = excluded.paused_reason
WHERE paused_at IS NULL
RETURNING name
