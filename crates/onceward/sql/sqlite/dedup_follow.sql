-- Keeps each key true to its job after a person changed it: a job that lives again has its key again.
UPDATE onceward_dedup SET
    state = item.value ->> '$.state',
    url = coalesce(item.value ->> '$.url', url),
    payload_hash = coalesce(item.value ->> '$.payload_hash', payload_hash),
    expires_at = CASE WHEN until_settled = 0 THEN expires_at
        WHEN (item.value ->> '$.state') IN ('done', 'dead', 'cancelled') THEN coalesce(expires_at, ?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) END
FROM jsonb_each(?1) AS item
WHERE scope = item.value ->> '$.scope' AND onceward_dedup.key = item.value ->> '$.key' AND job_id = item.value ->> '$.id'
