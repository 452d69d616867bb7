-- Gives what a queue as a whole may do, as queue_limits does, to one who only looks.
SELECT concurrency, rate, rate_tat, not_before, paused_at, circuit_policy, circuit, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM onceward_queue
WHERE name = ?1 AND (concurrency IS NOT NULL OR rate IS NOT NULL OR not_before IS NOT NULL OR paused_at IS NOT NULL
    OR circuit_policy IS NOT NULL)
