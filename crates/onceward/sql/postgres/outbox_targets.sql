-- Says how each target took what it was given last.
SELECT name, sent_at, failed_at, error FROM onceward.outbox_target ORDER BY name
