-- Notes new jobs that stand for something from before the present lineage: a job for it, which was sent, may have been lost.
INSERT INTO onceward_restored (job_id, since, lost_from)
SELECT value ->> '$.id', lineage.since, lineage.lost_from
FROM json_each(?1) JOIN onceward_lineage AS lineage ON lineage.one = 1 AND value ->> '$.at' <= lineage.since + ?2
WHERE true
ON CONFLICT (job_id) DO NOTHING
