-- Remembers how the job of a key ended, since the key outlives the job; frees keys held only until then.
UPDATE onceward_dedup SET
    state = item.value ->> '$.state',
    url = item.value ->> '$.url',
    expires_at = iif(until_settled AND (item.value ->> '$.state') IN ('done', 'dead', 'cancelled'), coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), expires_at)
FROM jsonb_each(?1) AS item
WHERE onceward_dedup.scope = item.value ->> '$.scope' AND onceward_dedup.key = item.value ->> '$.key'
    AND onceward_dedup.job_id = item.value ->> '$.id'
