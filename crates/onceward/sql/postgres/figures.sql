-- Gives all status figures, those not folded yet included. Never counts jobs.
SELECT queue, what, sum(n)::bigint AS n
FROM (SELECT queue, what, n FROM onceward.counter UNION ALL SELECT queue, what, n FROM onceward.counter_delta) AS figure
GROUP BY queue, what
