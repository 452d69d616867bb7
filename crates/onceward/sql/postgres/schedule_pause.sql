-- Pauses a schedule that is not paused.
UPDATE onceward.schedule SET paused_at = coalesce($2, statement_timestamp()) WHERE name = $1 AND paused_at IS NULL
