-- Records how attempts ended; one that is recorded already stays as it is.
INSERT INTO onceward_attempt (job_id, number, purpose, worker, started_at, finished_at, outcome, error)
SELECT value ->> '$.id', value ->> '$.number', value ->> '$.purpose', value ->> '$.worker', value ->> '$.started_at',
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), value ->> '$.outcome', value ->> '$.error'
FROM jsonb_each(?1) WHERE true
ON CONFLICT (job_id, number) DO NOTHING
