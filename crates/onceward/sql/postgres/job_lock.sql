-- Gives and locks what people may change of the named jobs; one that is finished gives no row.
SELECT id, queue, kind, state, held_reason, run_at, tries, crashes, lone, open, stop, checks, check_at, waiting_since,
    discard_at, finished_at, url, dedup_scope, dedup_key,
    EXISTS (SELECT FROM onceward.maybe_sent WHERE maybe_sent.job_id = job.id) AS restored,
    coalesce($2, statement_timestamp()) AS now
FROM onceward.job WHERE id IN (SELECT json_array_elements_text($1::text::json)::bigint) AND state NOT IN ('done', 'cancelled')
ORDER BY id FOR UPDATE
