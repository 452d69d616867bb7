-- Extends leases that are still held; gives the ones that were. A lease whose job is being settled is passed over.
UPDATE onceward.job SET leased_until = coalesce($2, statement_timestamp()) + item.lease * interval '1 microsecond'
FROM (
    SELECT job.id, item.lease FROM json_to_recordset($1::text::json) AS item (id bigint, token text, lease bigint)
    JOIN onceward.job USING (id) WHERE lease_token = item.token AND state = 'running'
    ORDER BY job.id FOR UPDATE OF job SKIP LOCKED) AS item
WHERE job.id = item.id
RETURNING job.id, lease_token AS token
