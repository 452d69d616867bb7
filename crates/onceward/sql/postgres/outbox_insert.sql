-- Inserts rows into the outbox. Only inserts: safe in anybody's transaction.
INSERT INTO onceward.outbox (message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers, run_at, created_at)
SELECT message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers, timestamptz '1970-01-01 00:00:00Z' + run_at * interval '1 microsecond',
    coalesce($2, statement_timestamp())
FROM ROWS FROM (json_to_recordset($1::text::json) AS
    (message_id uuid, queue text, kind text, version bigint, payload text, dedup_key text, dedup_for bigint,
     ordering_key text, headers text, run_at bigint)) WITH ORDINALITY ORDER BY ordinality
