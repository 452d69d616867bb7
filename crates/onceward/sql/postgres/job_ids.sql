-- Gives so many fresh ids, as ranges (the first, and how many), so that a dedup key can name its job before the job is there.
SELECT nextval('onceward.job_id_seq') AS id, 1::bigint AS n FROM generate_series(1, $1)
