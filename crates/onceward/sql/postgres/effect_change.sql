-- Writes what was decided about effects. One whose state is not the one it was decided on is not hit.
UPDATE onceward.effect SET
    state = item.state,
    looks = item.looks,
    absent = item.absent,
    check_at = onceward.instant(item.check_at),
    remote_url = item.remote_url,
    response = item.response,
    updated_at = coalesce($2, statement_timestamp())
FROM json_to_recordset($1::text::json) AS item (
    id bigint, step text, generation bigint, was text, state text, looks bigint, absent bigint, check_at bigint,
    remote_url text, response text)
WHERE job_id = item.id AND effect.step = item.step AND effect.generation = item.generation AND effect.state = item.was
RETURNING job_id
