-- Notes those of the named jobs that are from before the present lineage: a person gives them a time, and may have done so in
-- the lost commits as well.
INSERT INTO onceward_restored (job_id, since, lost_from)
SELECT job.id, lineage.since, lineage.lost_from
FROM json_each(?1) AS item
JOIN onceward_job AS job ON job.id = item.value AND job.state = 'pending'
JOIN onceward_lineage AS lineage ON lineage.one = 1 AND job.created_at <= lineage.since + ?2
WHERE true
ON CONFLICT (job_id) DO NOTHING
