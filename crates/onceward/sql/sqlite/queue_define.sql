-- Writes what the configuration says of a queue; what was learnt about it stays.
INSERT INTO onceward_queue (name, concurrency, rate, circuit_policy) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name) DO UPDATE SET
    concurrency = excluded.concurrency, rate = excluded.rate, circuit_policy = excluded.circuit_policy
WHERE (concurrency, rate, circuit_policy) IS NOT (excluded.concurrency, excluded.rate, excluded.circuit_policy)
