-- Gives so many fresh ids, so that a dedup key can name its job before the job is there.
SELECT nextval(pg_get_serial_sequence('onceward.job', 'id')) AS id FROM generate_series(1, $1)
