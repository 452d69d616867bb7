-- Gives the ledger of the named jobs; the requests, which may be long, on demand.
SELECT job_id, step, generation, class, key, closes, state, sends, looks, absent, first_sent_at, last_sent_at, quiet_until,
    check_at, remote_id, remote_url, response, CASE WHEN $2 <> 0 THEN request ELSE '' END AS request
FROM onceward.effect WHERE job_id IN (SELECT json_array_elements_text($1::text::json)::bigint) ORDER BY job_id, step, generation
