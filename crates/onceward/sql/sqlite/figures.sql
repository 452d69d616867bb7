-- Gives all status figures, those not folded yet included. Never counts jobs.
SELECT queue, what, sum(n) AS n
FROM (SELECT queue, what, n FROM onceward_counter UNION ALL SELECT queue, what, n FROM onceward_counter_delta)
GROUP BY queue, what
