-- Gives the contents whose job on the same channel has the same likeness, unless that job was cancelled; where each lies,
-- and whether it names its id itself.
SELECT link.channel_id, link.likeness, link.content_id, content.file, content.path,
    content.source::json #>> '{lines,id}' IS NOT NULL AS named
FROM json_to_recordset($1::text::json) AS item(channel text, likeness text)
JOIN onceward.content_job AS link ON link.channel_id = item.channel AND link.likeness = item.likeness
JOIN onceward.content AS content ON content.id = link.content_id
LEFT JOIN onceward.job_all AS job ON job.id = link.job_id
WHERE job.state IS NULL OR job.state <> 'cancelled'
