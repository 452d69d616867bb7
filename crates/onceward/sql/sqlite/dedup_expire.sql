-- Deletes some dedup keys that have kept nobody out since a time.
DELETE FROM onceward_dedup WHERE (scope, key) IN (SELECT scope, key FROM onceward_dedup WHERE expires_at < ?1 LIMIT ?2)
RETURNING job_id
