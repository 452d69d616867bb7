-- Says whether a job that must run alone is due in a queue. Reads only.
SELECT count(*) AS n FROM (SELECT 1 FROM onceward_job WHERE queue = ?1 AND lone = 1 AND (
    (state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))) OR (state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))) LIMIT 1)
