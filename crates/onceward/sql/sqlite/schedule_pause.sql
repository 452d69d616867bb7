-- Pauses a schedule that is not paused.
UPDATE onceward_schedule SET paused_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) WHERE name = ?1 AND paused_at IS NULL
