-- Writes what a send came to. Fenced by the token that wrote the intent, so that a late receipt still counts after the
-- lease was lost, and by its number, so that an answer that comes late says nothing of a later send; that it was
-- accepted is true all the same. A remote id that another job has is left out: acceptance itself is never refused.
UPDATE onceward_effect SET
    state = ?5, check_at = ?6, response = ?9, updated_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    remote_id = iif(EXISTS (SELECT 1 FROM onceward_effect AS other
                            WHERE other.queue = onceward_effect.queue AND other.remote_id = ?7), remote_id, coalesce(?7, remote_id)),
    remote_url = coalesce(?8, remote_url)
WHERE job_id = ?1 AND step = ?3 AND token = ?4 AND (sends = ?10 OR ?5 = 'accepted') AND state IN ('sending', 'unknown')
RETURNING step
