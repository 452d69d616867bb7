-- Writes what was decided about jobs that are locked. A job whose state is not the one it was decided on is not hit.
WITH item AS MATERIALIZED (
    SELECT id, was, state, payload, held_reason, onceward.instant(run_at) AS run_at, tries, crashes, lone <> 0 AS lone, open,
        stop <> 0 AS stop, checks, onceward.instant(check_at) AS check_at, onceward.instant(waiting_since) AS waiting_since,
        onceward.instant(discard_at) AS discard_at, onceward.instant(finished_at) AS finished_at, url, result,
        error_class, error_code, error
    FROM json_to_recordset($1::text::json) AS item (
        id bigint, was text, state text, payload text, held_reason text, run_at bigint, tries bigint, crashes bigint,
        lone bigint, open bigint, stop bigint, checks bigint, check_at bigint, waiting_since bigint, discard_at bigint,
        finished_at bigint, url text, result text, error_class text, error_code text, error text)
), stays AS (
    UPDATE onceward.job SET
        state = item.state,
        payload = coalesce(item.payload, job.payload),
        held_reason = item.held_reason,
        run_at = item.run_at,
        tries = item.tries,
        crashes = item.crashes,
        lone = item.lone,
        open = item.open,
        stop = item.stop,
        checks = item.checks,
        check_at = item.check_at,
        waiting_since = item.waiting_since,
        discard_at = item.discard_at,
        finished_at = item.finished_at,
        url = item.url,
        result = coalesce(item.result, job.result),
        error_class = coalesce(item.error_class, job.error_class),
        error_code = coalesce(item.error_code, job.error_code),
        error_platform = CASE WHEN item.error IS NULL THEN error_platform END,
        last_error = coalesce(item.error, last_error)
    FROM item
    WHERE job.id = item.id AND job.state = item.was AND item.state NOT IN ('done', 'cancelled')
    RETURNING job.id
), gone AS (
    DELETE FROM onceward.job USING item
    WHERE job.id = item.id AND job.state = item.was AND item.state IN ('done', 'cancelled')
    RETURNING job.*, item.state AS new_state, item.open AS new_open, item.finished_at AS new_finished_at,
        item.held_reason AS new_held_reason, item.url AS new_url, item.result AS new_result
), moved AS (
    INSERT INTO onceward.job_history (
        id, queue, kind, version, payload, state, held_reason, run_at, created_at, policy, dedup_scope, dedup_key, attempts,
        tries, crashes, open, stop, claimed_at, claim_no, settled_token, failed_at, error_class, error_code,
        error_platform, last_error, result, url, finished_at)
    SELECT id, queue, kind, version, payload, new_state, new_held_reason, run_at, created_at, policy, dedup_scope, dedup_key, attempts,
        tries, crashes, new_open, stop, claimed_at, claim_no, settled_token, failed_at, error_class, error_code,
        error_platform, last_error, coalesce(new_result, result), new_url, new_finished_at
    FROM gone
    RETURNING id
)
SELECT id FROM stays UNION ALL SELECT id FROM moved
