-- Picks jobs in doubt that must run alone and whose time to look again has come, and locks them.
-- One row of documents, one for each column: a row costs more to hand over than its text.
-- Payloads are joined by U+001E, which JSON never holds as it is (RFC 8259). Places are for claim.sql.
SELECT coalesce(json_agg(id), '[]')::text AS ids, json_agg(kind)::text AS kinds, json_agg(version)::text AS versions,
    string_agg(payload, E'\x1e') AS payloads, json_agg(attempts)::text AS attempts, json_agg(claim_no)::text AS claim_nos,
    json_agg(onceward.micros(created_at))::text AS created_ats,
    json_agg(dedup_scope)::text AS scopes, json_agg(dedup_key)::text AS keys, array_agg(place)::text AS places,
    coalesce($2, statement_timestamp()) AS now
FROM (
    SELECT ctid AS place, id, kind, version, payload, attempts, claim_no, created_at, dedup_scope, dedup_key FROM onceward.job
    WHERE queue = $1 AND state = 'in_doubt' AND check_at <= coalesce($2, statement_timestamp()) AND lone
        AND version <= ((SELECT $4::text::jsonb) ->> kind)::bigint
    ORDER BY check_at, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS picked
