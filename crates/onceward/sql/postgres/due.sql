-- Says what a worker of a queue could take now, and when the next job comes. Reads only.
SELECT EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp()))
    OR EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp())) AS due,
    (SELECT min(at) FROM (
        SELECT min(run_at) AS at FROM onceward.job WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at > coalesce($2, statement_timestamp())
        UNION ALL
        SELECT min(check_at) FROM onceward.job WHERE queue = $1 AND state = 'in_doubt' AND check_at > coalesce($2, statement_timestamp())) AS soon) AS next_at,
    coalesce($2, statement_timestamp()) AS now
