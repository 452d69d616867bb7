-- Settles jobs of one claim that are done with nothing to show: the common case, without taking items apart.
-- A job that is no longer as it was picked is not hit.
WITH gone AS (
    DELETE FROM onceward.job
    WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json) AS value))
        AND lease_token = $3 AND open = 0 AND NOT stop
    RETURNING *
)
INSERT INTO onceward.job_history (
    id, queue, kind, version, payload, state, run_at, created_at, policy, dedup_scope, dedup_key, attempts, tries, crashes,
    purpose, lease_owner, claimed_at, claim_no, settled_token, failed_at, error_class, error_code, error_platform,
    last_error, result, url, finished_at)
SELECT id, queue, kind, version, payload, 'done', run_at, created_at, policy, dedup_scope, dedup_key, attempts, tries, crashes,
    purpose, lease_owner, claimed_at, claim_no, lease_token, failed_at, error_class, error_code, error_platform,
    last_error, result, url, coalesce($2, statement_timestamp())
FROM gone
