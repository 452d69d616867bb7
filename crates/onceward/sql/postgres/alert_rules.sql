-- Gives what rules have told, and whether their last message is still on its way. Reads only.
SELECT alert.name, alert.number, alert.told, alert.told_at, alert.job_id,
    coalesce(job.state IN ('pending', 'running') OR (job.state = 'in_doubt' AND job.check_at IS NOT NULL), false) AS on_its_way
FROM onceward.alert AS alert LEFT JOIN onceward.job AS job ON job.id = alert.job_id
WHERE alert.name IN (SELECT json_array_elements_text($1::text::json))
