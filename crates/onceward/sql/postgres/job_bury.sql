-- Makes jobs dead that were inserted by the same transaction, with the reason: no worker has ever seen them.
UPDATE onceward.job SET
    state = 'dead',
    error_class = error::json ->> 'class',
    error_code = error::json ->> 'code',
    error_platform = error::json ->> 'platform_code',
    last_error = error,
    failed_at = coalesce($2, statement_timestamp()),
    finished_at = coalesce($2, statement_timestamp())
FROM json_to_recordset($1::text::json) AS item (id bigint, error text)
WHERE job.id = item.id AND job.state = 'pending'
