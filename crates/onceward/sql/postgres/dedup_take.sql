-- Takes each key for its job, or leaves it with the job that has it; either way says who has it now.
-- No key stands twice in one call. A concurrent taker of the same key waits for the other transaction to end.
INSERT INTO onceward.dedup AS held (scope, key, job_id, payload_hash, state, expires_at, until_settled)
SELECT scope, key, id, payload_hash, 'pending', coalesce($2, statement_timestamp()) + expires_in * interval '1 microsecond', until_settled <> 0
FROM json_to_recordset($1::text::json) AS item
    (scope text, key text, id bigint, payload_hash text, expires_in bigint, until_settled bigint)
ORDER BY scope, key
ON CONFLICT (scope, key) DO UPDATE SET
    job_id = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN excluded.job_id ELSE held.job_id END,
    payload_hash = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN excluded.payload_hash ELSE held.payload_hash END,
    state = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN excluded.state ELSE held.state END,
    url = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN NULL ELSE held.url END,
    until_settled = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN excluded.until_settled ELSE held.until_settled END,
    expires_at = CASE WHEN held.expires_at <= coalesce($2, statement_timestamp()) THEN excluded.expires_at ELSE held.expires_at END
RETURNING scope, key, job_id, payload_hash
