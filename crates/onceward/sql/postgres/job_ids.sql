-- Gives so many fresh ids, so that a dedup key can name its job before the job is there.
SELECT nextval('onceward.job_id_seq') AS id FROM generate_series(1, $1)
