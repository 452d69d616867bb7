-- Gives leases that have run out (if that counts now), or whose owner is certainly gone. One that is being extended or settled is passed over.
SELECT id, queue, lease_token AS token FROM onceward_job
WHERE state = 'running' AND ((?4 <> 0 AND leased_until < coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))) OR lease_owner IN (SELECT value FROM jsonb_each(?1)))
LIMIT ?3
