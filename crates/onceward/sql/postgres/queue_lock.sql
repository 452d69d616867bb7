-- Gives and locks what holds a queue back.
SELECT paused_at, paused_reason, not_before, circuit, coalesce($2, statement_timestamp()) AS now FROM onceward.queue WHERE name = $1 FOR UPDATE
