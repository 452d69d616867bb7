-- Says what a worker of a queue could take now, whether one of it must run alone, and when the next one comes.
-- Reads only, so that an idle worker never takes the turn.
WITH waiting AS NOT MATERIALIZED (
    SELECT run_at AS at, lone FROM onceward.job
    WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL
        AND EXISTS (SELECT 1 FROM json_to_recordset($3::text::json) AS known (kind text, version bigint)
                    WHERE known.kind = job.kind AND job.version <= known.version)
), doubtful AS NOT MATERIALIZED (
    SELECT check_at AS at, lone FROM onceward.job
    WHERE queue = $1 AND state = 'in_doubt' AND check_at IS NOT NULL
        AND EXISTS (SELECT 1 FROM json_to_recordset($3::text::json) AS known (kind text, version bigint)
                    WHERE known.kind = job.kind AND job.version <= known.version)
)
SELECT EXISTS (SELECT 1 FROM waiting WHERE at <= coalesce($2, statement_timestamp()) AND NOT lone)
        OR EXISTS (SELECT 1 FROM doubtful WHERE at <= coalesce($2, statement_timestamp()) AND NOT lone) AS due,
    EXISTS (SELECT 1 FROM waiting WHERE at <= coalesce($2, statement_timestamp()) AND lone)
        OR EXISTS (SELECT 1 FROM doubtful WHERE at <= coalesce($2, statement_timestamp()) AND lone) AS lone,
    (SELECT min(at) FROM (
        SELECT * FROM (SELECT at FROM waiting WHERE at > coalesce($2, statement_timestamp()) ORDER BY at LIMIT 1) AS one
        UNION ALL
        SELECT * FROM (SELECT at FROM doubtful WHERE at > coalesce($2, statement_timestamp()) ORDER BY at LIMIT 1) AS two) AS soon) AS next_at,
    coalesce($2, statement_timestamp()) AS now
