-- Writes down how a target took what it was given last.
INSERT INTO onceward_outbox_target (name, sent_at, failed_at, error)
VALUES (?1, iif(?3 IS NULL, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), NULL),
        iif(?3 IS NULL, NULL, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))), ?3)
ON CONFLICT (name) DO UPDATE SET
    sent_at = coalesce(excluded.sent_at, sent_at), failed_at = excluded.failed_at, error = excluded.error
