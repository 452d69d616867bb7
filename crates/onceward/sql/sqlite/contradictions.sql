-- Counts the jobs whose rows contradict themselves, by what is wrong, and names the first five of each.
WITH wrong AS (
  SELECT id, CASE
    WHEN state NOT IN ('pending', 'running', 'done', 'dead', 'in_doubt', 'cancelled') THEN 'in a state that is none'
    WHEN state = 'running' AND (lease_token IS NULL OR leased_until IS NULL) THEN 'running without a lease'
    WHEN NOT json_valid(payload) THEN 'with a payload that is no JSON'
  END AS what
  FROM onceward_job
), numbered AS (
  SELECT id, what, row_number() OVER (PARTITION BY what ORDER BY id) AS n, count(*) OVER (PARTITION BY what) AS jobs
  FROM wrong
  WHERE what IS NOT NULL
)
SELECT what, jobs, group_concat(id, ', ') AS first
FROM numbered
WHERE n <= 5
GROUP BY what, jobs
ORDER BY what
