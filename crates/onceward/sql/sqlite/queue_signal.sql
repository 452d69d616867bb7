-- Records what an attempt said of its queue as a whole. A pause that is there already keeps its reason.
INSERT INTO onceward_queue (name, circuit, not_before, paused_at, paused_reason)
VALUES (?1, ?3, ?4, iif(?5 IS NULL, NULL, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))), ?5)
ON CONFLICT (name) DO UPDATE SET
    circuit = coalesce(excluded.circuit, circuit),
    not_before = max(coalesce(excluded.not_before, not_before), coalesce(not_before, excluded.not_before)),
    paused_at = coalesce(paused_at, excluded.paused_at),
    paused_reason = coalesce(paused_reason, excluded.paused_reason)
