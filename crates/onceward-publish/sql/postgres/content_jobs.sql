-- Gives the jobs of the named contents with the times that their posts note, and whether they are on their way, or may
-- have been sent before a loss. The state is null when retention has dropped the job.
SELECT link.content_id, link.channel_id, link.job_id, job.state, job.held_reason, job.payload::json ->> 'publish_at' AS noted,
    EXISTS (SELECT 1 FROM onceward.effect AS effect WHERE effect.job_id = link.job_id) AS sent,
    (job.state IS DISTINCT FROM 'done' AND EXISTS (SELECT 1 FROM onceward.maybe_sent WHERE maybe_sent.job_id = link.job_id)
        OR EXISTS (SELECT FROM onceward.lineage WHERE name = 'copy' AND job.state NOT IN ('done', 'cancelled'))) AS restored
FROM json_array_elements_text($1::text::json) AS item(value)
JOIN onceward.content_job AS link ON link.content_id = item.value
LEFT JOIN onceward.job_all AS job ON job.id = link.job_id
