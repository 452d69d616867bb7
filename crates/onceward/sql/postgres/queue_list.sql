-- Gives what is known of queues as a whole.
SELECT name, concurrency, rate, circuit_policy, circuit, not_before, paused_at, paused_reason FROM onceward.queue
