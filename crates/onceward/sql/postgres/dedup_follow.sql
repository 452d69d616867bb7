-- Keeps each key true to its job after a person changed it: a job that lives again has its key again.
UPDATE onceward.dedup AS held SET
    state = item.state,
    url = coalesce(item.url, held.url),
    payload_hash = coalesce(item.payload_hash, held.payload_hash),
    expires_at = CASE WHEN NOT until_settled THEN expires_at
        WHEN item.state IN ('done', 'dead', 'cancelled') THEN coalesce(expires_at, $2, statement_timestamp()) END
FROM json_to_recordset($1::text::json) AS item (scope text, key text, id bigint, state text, url text, payload_hash text)
WHERE held.scope = item.scope AND held.key = item.key AND held.job_id = item.id
