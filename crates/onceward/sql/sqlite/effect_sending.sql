-- Makes the intent durable: from now on it may happen.
UPDATE onceward_effect SET
    state = 'sending', token = ?4, sends = sends + 1, first_sent_at = coalesce(first_sent_at, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))), last_sent_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    quiet_until = ?6, check_at = ?7, updated_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
WHERE job_id = ?1 AND step = ?3 AND generation = ?5 AND state <> 'accepted'
RETURNING sends
