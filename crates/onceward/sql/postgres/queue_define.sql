-- Writes what the configuration says of a queue; what was learnt about it stays, but a circuit goes with its policy.
INSERT INTO onceward.queue AS held (name, concurrency, rate, circuit_policy) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET
    concurrency = excluded.concurrency, rate = excluded.rate, circuit_policy = excluded.circuit_policy,
    circuit = CASE WHEN excluded.circuit_policy IS NULL THEN NULL ELSE held.circuit END
WHERE (held.concurrency, held.rate, held.circuit_policy)
    IS DISTINCT FROM (excluded.concurrency, excluded.rate, excluded.circuit_policy)
