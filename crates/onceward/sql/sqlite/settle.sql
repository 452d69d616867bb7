-- Writes decisions about leased jobs. Each names its lease token and what it was decided on; a job where any of that
-- has changed meanwhile is not hit and not in the answer.
UPDATE onceward_job SET
    state = item.value ->> '$.state',
    run_at = coalesce(item.value ->> '$.run_at', run_at),
    held_reason = NULL,
    tries = item.value ->> '$.tries',
    crashes = item.value ->> '$.crashes',
    lone = item.value ->> '$.lone',
    checks = item.value ->> '$.checks',
    check_at = item.value ->> '$.check_at',
    waiting_since = item.value ->> '$.waiting_since',
    failed_at = iif(item.value ->> '$.failed', coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), failed_at),
    error_class = coalesce(item.value ->> '$.error.class', error_class),
    error_code = coalesce(item.value ->> '$.error.code', error_code),
    error_platform = iif(item.value ->> '$.error' IS NULL, error_platform, item.value ->> '$.error.platform_code'),
    last_error = coalesce(item.value ->> '$.error', last_error),
    result = coalesce(item.value ->> '$.result', result),
    url = coalesce(item.value ->> '$.url', url),
    finished_at = iif((item.value ->> '$.state') IN ('done', 'dead', 'cancelled'), coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), NULL),
    lease_owner = iif((item.value ->> '$.state') = 'done', lease_owner, NULL),
    purpose = iif((item.value ->> '$.state') = 'done', purpose, NULL),
    settled_token = iif(item.value ->> '$.expired', settled_token, lease_token), lease_token = NULL, leased_until = NULL
FROM jsonb_each(?1) AS item
WHERE onceward_job.id = item.value ->> '$.id' AND lease_token = item.value ->> '$.token' AND onceward_job.state = 'running'
    AND open = item.value ->> '$.was_open' AND stop = item.value ->> '$.was_stop'
RETURNING id, settled_token AS token
