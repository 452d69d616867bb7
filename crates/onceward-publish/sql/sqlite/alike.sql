-- Gives the contents whose job on the same channel has the same likeness, unless that job was cancelled; where each lies,
-- and whether it names its id itself.
SELECT link.channel_id, link.likeness, link.content_id, content.file, content.path,
    content.source ->> '$.lines.id' IS NOT NULL AS named
FROM jsonb_each(?1) AS item
CROSS JOIN onceward_content_job AS link
    ON link.channel_id = item.value ->> '$.channel' AND link.likeness = item.value ->> '$.likeness'
JOIN onceward_content AS content ON content.id = link.content_id
LEFT JOIN onceward_job_all AS job ON job.id = link.job_id
WHERE job.state IS NULL OR job.state <> 'cancelled'
