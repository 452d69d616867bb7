-- Gives, for some queues, what is due and not held: since when, and how many jobs up to a limit. Jobs of one kind, the
-- alerts themselves, are left out. Also when the queue was last let go after a pause or an outage. Reads only.
SELECT item.name,
    (SELECT run_at FROM onceward.job WHERE queue = item.name AND state = 'pending' AND held_reason IS NULL
     AND run_at <= coalesce($2, statement_timestamp()) AND kind <> $3 ORDER BY run_at LIMIT 1) AS first_at,
    (SELECT count(*) FROM (SELECT FROM onceward.job WHERE queue = item.name AND state = 'pending' AND held_reason IS NULL
     AND run_at <= coalesce($2, statement_timestamp()) AND kind <> $3 LIMIT $4) AS due) AS n,
    (SELECT max(at) FROM onceward.event WHERE what IN ('circuit_closed', 'resumed') AND queue = item.name) AS free_at
FROM json_array_elements_text($1::text::json) AS item (name)
