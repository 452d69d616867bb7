-- Records what an attempt said of its queue as a whole. A pause that is there already keeps its reason.
INSERT INTO onceward.queue AS held (name, circuit, not_before, paused_at, paused_reason)
VALUES ($1, $3, $4, CASE WHEN $5::text IS NULL THEN NULL ELSE coalesce($2, statement_timestamp()) END, $5::text)
ON CONFLICT (name) DO UPDATE SET
    circuit = coalesce(excluded.circuit, held.circuit),
    not_before = greatest(excluded.not_before, held.not_before),
    paused_at = coalesce(held.paused_at, excluded.paused_at),
    paused_reason = coalesce(held.paused_reason, excluded.paused_reason)
