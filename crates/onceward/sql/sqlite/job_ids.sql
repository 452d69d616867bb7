-- Gives so many fresh ids, so that a dedup key can name its job before the job is there.
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
SELECT i + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'onceward_job'), 0) AS id FROM n
