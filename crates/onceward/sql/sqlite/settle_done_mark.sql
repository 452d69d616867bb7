-- Writes what settle_done.sql has picked in the same transaction.
UPDATE onceward_job SET
    state = 'done', lone = 0, checks = 0, check_at = NULL, waiting_since = NULL,
    finished_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    settled_token = lease_token, lease_token = NULL, leased_until = NULL
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND lease_token = ?3 AND open = 0 AND stop = 0
