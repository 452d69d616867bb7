-- Says what a worker of a queue could take now, whether one of it must run alone, and when the next one comes.
-- Reads only, so that an idle worker never takes the turn.
WITH waiting AS (
    SELECT run_at AS at, lone FROM onceward_job
    WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL
        AND EXISTS (SELECT 1 FROM json_each(?3) AS known
                    WHERE known.value ->> '$.kind' = kind AND version <= known.value ->> '$.version')
), doubtful AS (
    SELECT check_at AS at, lone FROM onceward_job
    WHERE queue = ?1 AND state = 'in_doubt' AND check_at IS NOT NULL
        AND EXISTS (SELECT 1 FROM json_each(?3) AS known
                    WHERE known.value ->> '$.kind' = kind AND version <= known.value ->> '$.version')
)
SELECT EXISTS (SELECT 1 FROM waiting WHERE at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND NOT lone)
        OR EXISTS (SELECT 1 FROM doubtful WHERE at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND NOT lone) AS due,
    EXISTS (SELECT 1 FROM waiting WHERE at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone)
        OR EXISTS (SELECT 1 FROM doubtful WHERE at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone) AS lone,
    (SELECT min(at) FROM (
        SELECT * FROM (SELECT at FROM waiting WHERE at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) ORDER BY at LIMIT 1)
        UNION ALL
        SELECT * FROM (SELECT at FROM doubtful WHERE at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) ORDER BY at LIMIT 1)) AS soon) AS next_at,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
