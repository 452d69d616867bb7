-- Resumes a paused schedule from its next time on.
UPDATE onceward_schedule SET paused_at = NULL, next_fire_at = ?2 WHERE name = ?1 AND paused_at IS NOT NULL
