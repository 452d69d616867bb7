-- Records how attempts ended; one that is recorded already stays as it is.
INSERT INTO onceward.attempt (job_id, number, purpose, worker, started_at, finished_at, outcome, error)
SELECT id, number, purpose, worker, onceward.instant(started_at), coalesce($2, statement_timestamp()), outcome, error
FROM json_to_recordset($1::text::json) AS item
    (id bigint, number bigint, purpose text, worker text, started_at bigint, outcome text, error text)
ON CONFLICT (job_id, number) DO NOTHING
