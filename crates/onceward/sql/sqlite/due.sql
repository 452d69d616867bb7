-- Says what a worker of a queue could take now, whether one of it must run alone, and when the next one comes.
-- Reads only, so that an idle worker never takes the turn.
SELECT EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 0
            AND version <= ?3 ->> ('$."' || kind || '"'))
        OR EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 0
            AND version <= ?3 ->> ('$."' || kind || '"')) AS due,
    EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
            AND version <= ?3 ->> ('$."' || kind || '"'))
        OR EXISTS (SELECT 1 FROM onceward_job WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
            AND version <= ?3 ->> ('$."' || kind || '"')) AS lone,
    (SELECT min(at) FROM (
        SELECT * FROM (SELECT run_at AS at FROM onceward_job
            WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
            AND version <= ?3 ->> ('$."' || kind || '"') ORDER BY run_at LIMIT 1) AS first
        UNION ALL
        SELECT * FROM (SELECT check_at AS at FROM onceward_job
            WHERE queue = ?1 AND state = 'in_doubt' AND check_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
            AND version <= ?3 ->> ('$."' || kind || '"') ORDER BY check_at LIMIT 1) AS second) AS soon) AS next_at,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
