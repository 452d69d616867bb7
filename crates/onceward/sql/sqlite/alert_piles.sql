-- Gives what waits for a person, by what it is, queue and code: jobs that are dead, in doubt and parked, or held because
-- their time had passed. Jobs of one kind, the alerts themselves, are left out. Reads only.
SELECT pile.what, pile.queue, pile.code, pile.n, pile.first_at, pile.last_at, pile.newest, job.last_error AS sample
FROM (
    SELECT 'dead' AS what, queue, error_code AS code, count(*) AS n, min(coalesce(finished_at, created_at)) AS first_at,
        max(coalesce(finished_at, created_at)) AS last_at, max(id) AS newest
    FROM onceward_job WHERE state = 'dead' AND discard_at IS NULL AND kind <> ?1
    GROUP BY queue, error_code
    UNION ALL
    SELECT 'parked', queue, error_code, count(*), min(coalesce(claimed_at, created_at)),
        max(coalesce(claimed_at, created_at)), max(id)
    FROM onceward_job WHERE state = 'in_doubt' AND check_at IS NULL AND kind <> ?1
    GROUP BY queue, error_code
    UNION ALL
    SELECT 'held', queue, NULL, count(*), min(run_at), max(run_at), max(id)
    FROM onceward_job WHERE state = 'pending' AND held_reason = 'missed' AND kind <> ?1
    GROUP BY queue
) AS pile JOIN onceward_job AS job ON job.id = pile.newest
ORDER BY pile.n DESC, pile.queue, pile.code
