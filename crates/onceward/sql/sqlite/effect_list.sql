-- Gives the ledger of the named jobs; the requests, which may be long, on demand.
SELECT job_id, step, generation, class, key, closes, state, sends, looks, absent, first_sent_at, last_sent_at, quiet_until,
    check_at, remote_id, remote_url, response, CASE WHEN ?2 <> 0 THEN request ELSE '' END AS request
FROM onceward_effect WHERE job_id IN (SELECT value FROM jsonb_each(?1)) ORDER BY job_id, step, generation
