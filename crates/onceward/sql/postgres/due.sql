-- Says what a worker of a queue could take now, whether one of it must run alone, and when the next one comes.
-- Reads only, so that an idle worker never takes the turn.
SELECT EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp()) AND NOT lone
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint)
        OR EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()) AND NOT lone
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint) AS due,
    EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp()) AND lone
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint)
        OR EXISTS (SELECT 1 FROM onceward.job WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()) AND lone
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint) AS lone,
    (SELECT min(at) FROM (
        SELECT * FROM (SELECT run_at AS at FROM onceward.job
            WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at > coalesce($2, statement_timestamp())
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint ORDER BY run_at LIMIT 1) AS first
        UNION ALL
        SELECT * FROM (SELECT check_at AS at FROM onceward.job
            WHERE queue = $1 AND state = 'in_doubt' AND check_at > coalesce($2, statement_timestamp())
            AND version <= ((SELECT $3::text::jsonb) ->> kind)::bigint ORDER BY check_at LIMIT 1) AS second) AS soon) AS next_at,
    coalesce($2, statement_timestamp()) AS now
