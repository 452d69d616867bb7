-- Inserts jobs under ids that were given before. Only inserts: safe in anybody's transaction.
INSERT INTO onceward.job
    (id, queue, kind, version, payload, state, held_reason, run_at, created_at, policy, dedup_scope, dedup_key)
SELECT id, queue, kind, version, payload, 'pending', held_reason,
       coalesce(onceward.instant(run_at), coalesce($2, statement_timestamp()) + coalesce(delay, 0) * interval '1 microsecond'),
       coalesce($2, statement_timestamp()), policy, scope, key
FROM json_to_recordset($1::text::json) AS item
    (id bigint, queue text, kind text, version bigint, payload text, held_reason text, run_at bigint, delay bigint,
     policy text, scope text, key text)
