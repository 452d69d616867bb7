-- Makes jobs dead that were inserted by the same transaction, with the reason: no worker has ever seen them.
UPDATE onceward_job SET
    state = 'dead',
    error_class = item.value ->> '$.error.class',
    error_code = item.value ->> '$.error.code',
    error_platform = item.value ->> '$.error.platform_code',
    last_error = item.value ->> '$.error',
    failed_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    finished_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
FROM jsonb_each(?1) AS item
WHERE onceward_job.id = item.value ->> '$.id' AND onceward_job.state = 'pending'
