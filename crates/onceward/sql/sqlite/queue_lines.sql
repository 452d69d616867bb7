-- Gives, for some queues, when the first job that is not held is or was due, and the first of those that failed before, by
-- the index that claims use. Reads only.
SELECT item.value AS name, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now,
    (SELECT run_at FROM onceward_job WHERE queue = item.value AND state = 'pending' AND held_reason IS NULL
     ORDER BY run_at LIMIT 1) AS first_at,
    (SELECT run_at FROM onceward_job WHERE queue = item.value AND state = 'pending' AND held_reason IS NULL AND last_error IS NOT NULL
     ORDER BY run_at LIMIT 1) AS retry_at
FROM jsonb_each(?1) AS item
