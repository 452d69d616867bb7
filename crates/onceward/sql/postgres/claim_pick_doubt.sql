-- Picks jobs in doubt whose time to look again has come, and locks them.
SELECT coalesce(json_agg(id), '[]')::text AS ids FROM (
    SELECT id FROM onceward.job
    WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()) AND NOT lone
        AND version <= ((SELECT $4::text::jsonb) ->> kind)::bigint
    ORDER BY check_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS picked
