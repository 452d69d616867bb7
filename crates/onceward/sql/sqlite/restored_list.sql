-- Says how many restored jobs of each queue are not over yet, and of which loss the newest of them are. In a copy to which
-- nobody has written yet these are also the jobs that the first write will note (lineage_mark).
SELECT job.queue, count(*) AS n, max(since) AS since, min(lost_from) AS lost_from
FROM (
    SELECT job_id, since, lost_from FROM onceward_restored
    UNION ALL
    SELECT id, coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), coalesce(lost_from,
        (SELECT max(seen_at) FROM onceward_worker), (SELECT created_at FROM onceward_job ORDER BY id DESC LIMIT 1), 60000000) - 60000000
    FROM onceward_lineage CROSS JOIN onceward_job
    WHERE one = 1 AND name = 'copy' AND state NOT IN ('done', 'cancelled')
        AND NOT EXISTS (SELECT 1 FROM onceward_restored WHERE job_id = id)
) JOIN onceward_job AS job ON job.id = job_id
WHERE job.state NOT IN ('done', 'cancelled') GROUP BY job.queue ORDER BY job.queue
