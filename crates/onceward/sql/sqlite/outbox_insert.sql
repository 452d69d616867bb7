-- Inserts rows into the outbox. Only inserts: safe in anybody's transaction.
INSERT INTO onceward_outbox (message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers, run_at, created_at)
SELECT value ->> 'message_id', value ->> 'queue', value ->> 'kind', value ->> 'version', value ->> 'payload',
    value ->> 'dedup_key', value ->> 'dedup_for', value ->> 'ordering_key', value ->> 'headers', value ->> 'run_at',
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
FROM jsonb_each(?1) ORDER BY key
