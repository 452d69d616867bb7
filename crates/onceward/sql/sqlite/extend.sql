-- Extends leases that are still held; gives the ones that were. A lease whose job is being settled is passed over.
UPDATE onceward_job SET leased_until = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (item.value ->> '$.lease')
FROM jsonb_each(?1) AS item
WHERE onceward_job.id = item.value ->> '$.id' AND lease_token = item.value ->> '$.token' AND state = 'running'
RETURNING id, lease_token AS token
