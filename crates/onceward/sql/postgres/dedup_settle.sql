-- Remembers how the job of a key ended, since the key outlives the job; frees keys held only until then.
UPDATE onceward.dedup AS held SET
    state = item.state,
    url = item.url,
    expires_at = CASE WHEN until_settled AND item.state IN ('done', 'dead', 'cancelled') THEN coalesce($2, statement_timestamp()) ELSE expires_at END
FROM json_to_recordset($1::text::json) AS item (scope text, key text, id bigint, state text, url text)
WHERE held.scope = item.scope AND held.key = item.key AND held.job_id = item.id
