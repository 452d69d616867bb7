-- Takes away what holds a queue back, and sets its circuit. Its row is locked by queue_lock.
UPDATE onceward.queue SET paused_at = NULL, paused_reason = NULL, not_before = NULL, circuit = $2 WHERE name = $1
