-- Writes what was decided about jobs that are locked. A job whose state is not the one it was decided on is not hit.
UPDATE onceward_job SET
    state = item.value ->> '$.state',
    payload = coalesce(item.value ->> '$.payload', payload),
    held_reason = item.value ->> '$.held_reason',
    run_at = item.value ->> '$.run_at',
    tries = item.value ->> '$.tries',
    crashes = item.value ->> '$.crashes',
    lone = item.value ->> '$.lone',
    open = item.value ->> '$.open',
    stop = item.value ->> '$.stop',
    checks = item.value ->> '$.checks',
    check_at = item.value ->> '$.check_at',
    waiting_since = item.value ->> '$.waiting_since',
    discard_at = item.value ->> '$.discard_at',
    finished_at = item.value ->> '$.finished_at',
    url = item.value ->> '$.url',
    result = coalesce(item.value ->> '$.result', result),
    error_class = coalesce(item.value ->> '$.error_class', error_class),
    error_code = coalesce(item.value ->> '$.error_code', error_code),
    error_platform = iif(item.value ->> '$.error' IS NULL, error_platform, NULL),
    last_error = coalesce(item.value ->> '$.error', last_error)
FROM jsonb_each(?1) AS item
WHERE onceward_job.id = item.value ->> '$.id' AND onceward_job.state = item.value ->> '$.was'
RETURNING id
