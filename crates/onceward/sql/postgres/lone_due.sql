-- Says whether a job that must run alone is due in a queue. Reads only.
SELECT count(*) AS n FROM (SELECT 1 FROM onceward.job WHERE queue = $1 AND lone AND (
    (state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp())) OR (state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()))) LIMIT 1) AS found
