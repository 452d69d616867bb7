-- Gives, for some queues, what is due and not held: since when, and how many jobs up to a limit. Jobs of one kind, the
-- alerts themselves, are left out. Also when the queue was last let go after a pause or an outage. Reads only.
SELECT item.value AS name,
    (SELECT run_at FROM onceward_job WHERE queue = item.value AND state = 'pending' AND held_reason IS NULL
     AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND kind <> ?3 ORDER BY run_at LIMIT 1) AS first_at,
    (SELECT count(*) FROM (SELECT 1 FROM onceward_job WHERE queue = item.value AND state = 'pending' AND held_reason IS NULL
     AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND kind <> ?3 LIMIT ?4)) AS n,
    (SELECT max(at) FROM onceward_event WHERE what IN ('circuit_closed', 'resumed') AND queue = item.value) AS free_at
FROM jsonb_each(?1) AS item
