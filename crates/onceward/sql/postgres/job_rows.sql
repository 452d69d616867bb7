-- Gives what people see of the named jobs, whether they are finished or not.
SELECT job.id, job.queue, job.kind, job.version, job.payload, job.state, job.held_reason, job.run_at, job.created_at, job.attempts,
    job.tries, job.crashes, job.open, job.stop, job.check_at, job.leased_until, job.lease_owner, job.error_class,
    job.error_code, job.last_error, job.result, job.url, job.discard_at, job.finished_at,
    (job.state <> 'done' AND EXISTS (SELECT FROM onceward.maybe_sent WHERE maybe_sent.job_id = job.id)
        OR EXISTS (SELECT FROM onceward.lineage WHERE name = 'copy' AND job.state NOT IN ('done', 'cancelled'))) AS restored
FROM json_array_elements_text($1::text::json) AS item JOIN onceward.job_all AS job ON job.id = item::bigint
