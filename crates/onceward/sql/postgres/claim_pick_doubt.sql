-- Picks jobs in doubt whose time to look again has come, and locks them.
-- One document in one row: a row costs more to hand over than its text.
SELECT coalesce(json_agg(json_build_array(id, kind, version, payload, attempts, claim_no, lone::int, onceward.micros(created_at), dedup_scope, dedup_key)), '[]')::text AS jobs,
    coalesce($2, statement_timestamp()) AS now
FROM (
    SELECT * FROM onceward.job
    WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()) AND NOT lone
        AND version <= ((SELECT $4::text::jsonb) ->> kind)::bigint
    ORDER BY check_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS picked
