-- Says how many restored jobs of each queue are not over yet, and of which loss the newest of them are. In a copy to which
-- nobody has written yet these are also the jobs that the first write will note (lineage_mark).
SELECT job.queue, count(*) AS n, max(since) AS since, min(lost_from) AS lost_from
FROM (
    SELECT job_id, since, lost_from FROM onceward.restored
    UNION ALL
    SELECT id, coalesce($1, statement_timestamp()), coalesce(lost_from, pg_last_xact_replay_timestamp(),
        (SELECT max(seen_at) FROM onceward.worker), (SELECT created_at FROM onceward.job ORDER BY id DESC LIMIT 1),
        timestamptz 'epoch') - interval '1 minute'
    FROM onceward.lineage CROSS JOIN onceward.job
    WHERE one = 1 AND name = 'copy' AND NOT EXISTS (SELECT FROM onceward.restored WHERE job_id = id)
) AS noted JOIN onceward.job ON job.id = job_id
WHERE job.state NOT IN ('done', 'cancelled') GROUP BY job.queue ORDER BY job.queue
