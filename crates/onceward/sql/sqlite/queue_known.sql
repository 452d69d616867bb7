-- Says whether a queue was ever defined or had a job.
SELECT EXISTS (SELECT 1 FROM onceward_queue WHERE name = ?1) OR EXISTS (SELECT 1 FROM onceward_counter WHERE queue = ?1)
    OR EXISTS (SELECT 1 FROM onceward_counter_delta WHERE queue = ?1) AS known
