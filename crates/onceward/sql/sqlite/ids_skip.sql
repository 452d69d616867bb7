-- Leaves out a million numbers of jobs, so that none is given again to another job than one that was lost.
UPDATE sqlite_sequence SET seq = seq + 1000000 WHERE name = 'onceward_job' RETURNING seq AS last
