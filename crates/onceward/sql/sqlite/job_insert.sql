-- Inserts jobs under ids that were given before. Only inserts: safe in anybody's transaction.
INSERT INTO onceward_job
    (id, queue, kind, version, payload, state, held_reason, run_at, created_at, policy, dedup_scope, dedup_key)
SELECT value ->> '$.id', value ->> '$.queue', value ->> '$.kind', value ->> '$.version', value ->> '$.payload',
       'pending', value ->> '$.held_reason',
       coalesce(value ->> '$.run_at', coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + coalesce(value ->> '$.delay', 0)),
       coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), value ->> '$.policy', value ->> '$.scope', value ->> '$.key'
FROM jsonb_each(?1)
