-- Gives and locks the circuits of some queues; a queue without one gives no row.
SELECT name, circuit_policy, circuit, coalesce($2, statement_timestamp()) AS now FROM onceward.queue
WHERE circuit_policy IS NOT NULL AND name IN (SELECT json_array_elements_text($1::text::json))
ORDER BY name FOR UPDATE
