-- Leaves out a million numbers of jobs, so that none is given again to another job than one that was lost.
SELECT setval('onceward.job_id_seq', nextval('onceward.job_id_seq') + 1000000) AS last
