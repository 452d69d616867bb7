-- Gives jobs that were leased, the first due first: one document in one row, since a row costs more to hand over than its text.
SELECT json_group_array(json_array(id, kind, version, payload, attempts, claim_no, claimed_at, leased_until, lone, created_at, dedup_scope, dedup_key) ORDER BY run_at, id) AS jobs
FROM onceward_job WHERE id IN (SELECT value FROM jsonb_each(?1))
