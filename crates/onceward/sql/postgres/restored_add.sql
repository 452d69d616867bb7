-- Notes new jobs that stand for something from before the present lineage: a job for it, which was sent, may have been lost.
INSERT INTO onceward.restored (job_id, since, lost_from)
SELECT item.id, lineage.since, lineage.lost_from
FROM json_to_recordset($1::text::json) AS item (id bigint, at bigint)
JOIN onceward.lineage ON lineage.one = 1 AND onceward.instant(item.at) <= lineage.since + $2 * interval '1 microsecond'
ON CONFLICT (job_id) DO NOTHING
