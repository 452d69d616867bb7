-- Writes what the configuration says of a queue; what was learnt about it stays, but a circuit goes with its policy.
INSERT INTO onceward_queue (name, concurrency, rate, circuit_policy) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name) DO UPDATE SET
    concurrency = excluded.concurrency, rate = excluded.rate, circuit_policy = excluded.circuit_policy,
    circuit = iif(excluded.circuit_policy IS NULL, NULL, circuit)
WHERE (concurrency, rate, circuit_policy) IS NOT (excluded.concurrency, excluded.rate, excluded.circuit_policy)
