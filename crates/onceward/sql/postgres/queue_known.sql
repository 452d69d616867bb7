-- Says whether a queue was ever defined or had a job.
SELECT EXISTS (SELECT 1 FROM onceward.queue WHERE name = $1) OR EXISTS (SELECT 1 FROM onceward.counter WHERE queue = $1)
    OR EXISTS (SELECT 1 FROM onceward.counter_delta WHERE queue = $1) AS known
