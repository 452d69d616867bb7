-- Picks due jobs that must run alone, since they were found in a crash, and locks them.
SELECT coalesce(json_agg(id), '[]')::text AS ids FROM (
    SELECT id FROM onceward.job
    WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp()) AND lone
        AND version <= ((SELECT $4::text::jsonb) ->> kind)::bigint
    ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS picked
