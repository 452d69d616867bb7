-- Gives so many fresh ids, as ranges (the first, and how many), so that a dedup key can name its job before the job is there.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'onceward_job'), 0) + 1 AS id, ?1 AS n
