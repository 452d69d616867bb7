-- Notes those of the named jobs that are from before the present lineage: a person gives them a time, and may have done so in
-- the lost commits as well.
INSERT INTO onceward.restored (job_id, since, lost_from)
SELECT job.id, lineage.since, lineage.lost_from
FROM json_array_elements_text($1::text::json) AS item
JOIN onceward.job ON job.id = item::bigint AND job.state = 'pending'
JOIN onceward.lineage ON lineage.one = 1 AND job.created_at <= lineage.since + $2 * interval '1 microsecond'
ON CONFLICT (job_id) DO NOTHING
