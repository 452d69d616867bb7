-- Gives and locks the circuits of some queues; a queue without one gives no row.
SELECT name, circuit_policy, circuit, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now FROM onceward_queue
WHERE circuit_policy IS NOT NULL AND name IN (SELECT value FROM jsonb_each(?1))
