-- Settles jobs of one claim that are done with nothing to show, and gives those whose lease holds and that have nothing
-- more to be decided. Here they leave for the history at once.
-- The token alone tells that a job is running; naming the state would lead the planner to a second index.
WITH gone AS (
    DELETE FROM onceward.job
    WHERE id = ANY (ARRAY (SELECT unnest(translate($1::text, '[]', '{}')::bigint[])))
        AND lease_token = $3 AND open = 0 AND NOT stop
    RETURNING *
), moved AS (
    INSERT INTO onceward.job_history (
        id, queue, kind, version, payload, state, run_at, created_at, policy, dedup_scope, dedup_key, attempts, tries, crashes,
        purpose, lease_owner, claimed_at, claim_no, settled_token, failed_at, error_class, error_code, error_platform,
        last_error, result, url, finished_at)
    SELECT id, queue, kind, version, payload, 'done', run_at, created_at, policy, dedup_scope, dedup_key, attempts, tries, crashes,
        purpose, lease_owner, claimed_at, claim_no, lease_token, failed_at, error_class, error_code, error_platform,
        last_error, result, url, coalesce($2, statement_timestamp())
    FROM gone
)
SELECT coalesce(json_agg(id), '[]')::text AS ids FROM gone
