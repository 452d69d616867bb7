-- Gives and locks what a queue as a whole may do, if anything limits it; a queue without limits gives no row.
SELECT concurrency, rate, rate_tat, not_before, paused_at, circuit_policy, circuit, coalesce($2, statement_timestamp()) AS now
FROM onceward.queue
WHERE name = $1 AND (concurrency IS NOT NULL OR rate IS NOT NULL OR not_before IS NOT NULL OR paused_at IS NOT NULL
    OR circuit_policy IS NOT NULL)
FOR UPDATE
