-- Deletes some dedup keys that have kept nobody out since a time.
DELETE FROM onceward.dedup WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM onceward.dedup WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING job_id
