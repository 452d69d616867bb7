-- Says what a worker of a queue could take now, and when the next job comes. Reads only.
SELECT EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
    OR EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))) AS due,
    (SELECT min(at) FROM (
        SELECT min(run_at) AS at FROM onceward_job WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
        UNION ALL
        SELECT min(check_at) FROM onceward_job WHERE queue = ?1 AND state = 'in_doubt' AND check_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))) AS next_at,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
