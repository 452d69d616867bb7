-- Writes down how a target took what it was given last.
INSERT INTO onceward.outbox_target AS target (name, sent_at, failed_at, error)
VALUES ($1, CASE WHEN $3::text IS NULL THEN coalesce($2, statement_timestamp()) END,
        CASE WHEN $3::text IS NOT NULL THEN coalesce($2, statement_timestamp()) END, $3)
ON CONFLICT (name) DO UPDATE SET
    sent_at = coalesce(excluded.sent_at, target.sent_at), failed_at = excluded.failed_at, error = excluded.error
