-- Writes decisions about leased jobs. Each names its lease token and what it was decided on; a job where any of that
-- has changed meanwhile is not hit and not in the answer.
WITH item AS MATERIALIZED (
    SELECT id, token, state, onceward.instant(run_at) AS run_at, tries, crashes, lone <> 0 AS lone, checks,
        onceward.instant(check_at) AS check_at, onceward.instant(waiting_since) AS waiting_since, failed, expired, error,
        error::json AS said, result, url, was_open, was_stop <> 0 AS was_stop, state IN ('done', 'cancelled') AS leaves
    FROM json_to_recordset($1::text::json) AS item (
        id bigint, token text, state text, run_at bigint, tries bigint, crashes bigint, lone bigint,
        checks bigint, check_at bigint, waiting_since bigint, failed boolean, expired boolean, error text, result text, url text,
        was_open bigint, was_stop bigint)
), stays AS (
    UPDATE onceward.job SET
        state = item.state,
        run_at = coalesce(item.run_at, job.run_at),
        held_reason = NULL,
        tries = item.tries,
        crashes = item.crashes,
        lone = item.lone,
        checks = item.checks,
        check_at = item.check_at,
        waiting_since = item.waiting_since,
        failed_at = CASE WHEN item.failed THEN coalesce($2, statement_timestamp()) ELSE failed_at END,
        error_class = coalesce(said ->> 'class', error_class),
        error_code = coalesce(said ->> 'code', error_code),
        error_platform = CASE WHEN item.error IS NULL THEN error_platform ELSE said ->> 'platform_code' END,
        last_error = coalesce(item.error, last_error),
        result = coalesce(item.result, job.result),
        url = coalesce(item.url, job.url),
        finished_at = CASE WHEN item.state = 'dead' THEN coalesce($2, statement_timestamp()) END,
        settled_token = CASE WHEN item.expired THEN settled_token ELSE lease_token END,
        lease_token = NULL, lease_owner = NULL, leased_until = NULL, purpose = NULL
    FROM item
    WHERE NOT leaves AND job.id = item.id AND lease_token = item.token AND job.state = 'running'
        AND open = was_open AND stop = was_stop
    RETURNING job.id, settled_token
), gone AS (
    DELETE FROM onceward.job USING item
    WHERE leaves AND job.id = item.id AND lease_token = item.token AND job.state = 'running'
        AND open = was_open AND stop = was_stop
    RETURNING job.*, item.state AS new_state, item.result AS new_result, item.url AS new_url, item.error AS new_error,
        said ->> 'class' AS new_class, said ->> 'code' AS new_code, said ->> 'platform_code' AS new_platform,
        item.tries AS new_tries, item.crashes AS new_crashes, item.failed AS new_failed, item.expired AS new_expired
), moved AS (
    INSERT INTO onceward.job_history (
        id, queue, kind, version, payload, state, run_at, created_at, policy, dedup_scope, dedup_key, attempts, tries,
        crashes, stop, purpose, lease_owner, claimed_at, claim_no, settled_token, failed_at, error_class, error_code, error_platform,
        last_error, result, url, finished_at)
    SELECT id, queue, kind, version, payload, new_state, run_at, created_at, policy, dedup_scope, dedup_key, attempts,
        new_tries, new_crashes, stop, CASE WHEN new_state = 'done' THEN purpose END,
        CASE WHEN new_state = 'done' THEN lease_owner END, claimed_at, claim_no,
        CASE WHEN new_expired THEN settled_token ELSE lease_token END,
        CASE WHEN new_failed THEN coalesce($2, statement_timestamp()) ELSE failed_at END, coalesce(new_class, error_class),
        coalesce(new_code, error_code), CASE WHEN new_error IS NULL THEN error_platform ELSE new_platform END,
        coalesce(new_error, last_error),
        coalesce(new_result, result), coalesce(new_url, url), coalesce($2, statement_timestamp())
    FROM gone
    RETURNING id, settled_token
)
SELECT id, settled_token AS token FROM stays UNION ALL SELECT id, settled_token FROM moved
