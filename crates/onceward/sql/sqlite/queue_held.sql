-- Counts held jobs by their queue, by an index that has no others. Reads only.
SELECT queue, count(*) AS n FROM onceward_job WHERE state = 'pending' AND held_reason IS NOT NULL GROUP BY queue
