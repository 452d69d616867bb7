-- Gives the named jobs as they stand now.
SELECT job.id, job.queue, job.state, job.held_reason, job.run_at, job.attempts, job.tries, job.checks, job.check_at, job.url, job.last_error,
    (job.state <> 'done' AND EXISTS (SELECT FROM onceward.maybe_sent WHERE maybe_sent.job_id = job.id)
        OR EXISTS (SELECT FROM onceward.lineage WHERE name = 'copy' AND job.state NOT IN ('done', 'cancelled'))) AS restored,
    coalesce($2, statement_timestamp()) AS now
FROM json_array_elements_text($1::text::json) AS item(value) JOIN onceward.job_all AS job ON job.id = item.value::bigint
