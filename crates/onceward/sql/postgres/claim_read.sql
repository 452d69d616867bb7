-- Gives jobs that were leased, the first due first: one document in one row, since a row costs more to hand over than its text.
SELECT coalesce(json_agg(json_build_array(
    id, kind, version, payload, attempts, claim_no, onceward.micros(claimed_at), onceward.micros(leased_until), lone::int, onceward.micros(created_at), dedup_scope, dedup_key) ORDER BY run_at, id), '[]')::text AS jobs
FROM onceward.job WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json) AS value))
