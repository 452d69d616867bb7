-- Takes each key for its job, or leaves it with the job that has it; either way says who has it now.
-- No key stands twice in one call. A concurrent taker of the same key waits for the other transaction to end.
INSERT INTO onceward_dedup (scope, key, job_id, payload_hash, state, expires_at, until_settled)
SELECT value ->> '$.scope', value ->> '$.key', value ->> '$.id', value ->> '$.payload_hash', 'pending',
       coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (value ->> '$.expires_in'), value ->> '$.until_settled'
FROM jsonb_each(?1) WHERE true
ON CONFLICT (scope, key) DO UPDATE SET
    job_id = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), excluded.job_id, onceward_dedup.job_id),
    payload_hash = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), excluded.payload_hash, onceward_dedup.payload_hash),
    state = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), excluded.state, onceward_dedup.state),
    url = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), NULL, onceward_dedup.url),
    until_settled = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), excluded.until_settled, onceward_dedup.until_settled),
    expires_at = iif(onceward_dedup.expires_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), excluded.expires_at, onceward_dedup.expires_at)
RETURNING scope, key, job_id, payload_hash
