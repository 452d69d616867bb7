-- Pauses a queue that is not paused; gives no row when it is, and leaves that pause its reason.
INSERT INTO onceward.queue AS held (name, paused_at, paused_reason) VALUES ($1, coalesce($2, statement_timestamp()), $3)
ON CONFLICT (name) DO UPDATE SET paused_at = excluded.paused_at, paused_reason = excluded.paused_reason
WHERE held.paused_at IS NULL
RETURNING name
