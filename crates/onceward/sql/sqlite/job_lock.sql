-- Gives and locks what people may change of the named jobs; one that is finished gives no row.
SELECT id, queue, kind, state, held_reason, run_at, tries, crashes, lone, open, stop, checks, check_at, waiting_since,
    discard_at, finished_at, url, dedup_scope, dedup_key,
    EXISTS (SELECT 1 FROM onceward_maybe_sent WHERE job_id = onceward_job.id) AS restored,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM onceward_job WHERE id IN (SELECT value FROM jsonb_each(?1)) AND state NOT IN ('done', 'cancelled')
