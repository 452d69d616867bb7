-- Says how many restored jobs of each queue are not over yet, and of which loss the newest of them are.
SELECT queue, count(*) AS n, max(since) AS since, min(lost_from) AS lost_from
FROM onceward_restored JOIN onceward_job ON id = job_id WHERE state NOT IN ('done', 'cancelled') GROUP BY queue ORDER BY queue
