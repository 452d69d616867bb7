-- Counts the jobs whose rows contradict themselves, by what is wrong, and names the first five of each. States are checked by
-- the table; whether a text is JSON is a question that PostgreSQL answers from version 16 on.
WITH numbered AS (
  SELECT id, row_number() OVER (ORDER BY id) AS n, count(*) OVER () AS jobs
  FROM onceward.job
  WHERE state = 'running' AND (lease_token IS NULL OR leased_until IS NULL)
)
SELECT 'running without a lease'::text AS what, jobs, string_agg(id::text, ', ' ORDER BY id) AS first
FROM numbered
WHERE n <= 5
GROUP BY jobs
