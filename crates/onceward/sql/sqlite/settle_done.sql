-- Settles jobs of one claim that are done with nothing to show: the common case, without taking items apart.
-- A job that is no longer as it was picked is not hit.
UPDATE onceward_job SET
    state = 'done', lone = 0, checks = 0, check_at = NULL, waiting_since = NULL,
    finished_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    settled_token = lease_token, lease_token = NULL, leased_until = NULL
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND lease_token = ?3 AND open = 0 AND stop = 0
