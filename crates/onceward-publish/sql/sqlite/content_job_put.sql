-- Ties a job to its content and channel.
INSERT INTO onceward_content_job (content_id, channel_id, job_id, likeness) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (content_id, channel_id) DO UPDATE SET job_id = excluded.job_id, likeness = excluded.likeness
