-- Gives the ids of unfinished jobs that match a filter, in either direction. Walks the small indexes of each state, so
-- that what is finished costs nothing, however much it is.
SELECT job.id FROM (
    SELECT id FROM onceward_job INDEXED BY onceward_job_due WHERE state = 'pending' AND held_reason IS NULL
        AND EXISTS (SELECT 1 FROM jsonb_each(?1) WHERE value = 'pending')
    UNION ALL
    SELECT id FROM onceward_job INDEXED BY onceward_job_held WHERE state = 'pending' AND held_reason IS NOT NULL
        AND EXISTS (SELECT 1 FROM jsonb_each(?1) WHERE value = 'pending')
    UNION ALL
    SELECT id FROM onceward_job INDEXED BY onceward_job_lease WHERE state = 'running'
        AND EXISTS (SELECT 1 FROM jsonb_each(?1) WHERE value = 'running')
    UNION ALL
    SELECT id FROM onceward_job INDEXED BY onceward_job_doubt WHERE state = 'in_doubt'
        AND EXISTS (SELECT 1 FROM jsonb_each(?1) WHERE value = 'in_doubt')
    UNION ALL
    SELECT id FROM onceward_job INDEXED BY onceward_job_dead WHERE state = 'dead'
        AND EXISTS (SELECT 1 FROM jsonb_each(?1) WHERE value = 'dead')
) AS found CROSS JOIN onceward_job AS job ON job.id = found.id
WHERE true
    AND (?2 IS NULL OR job.queue = ?2) AND (?3 IS NULL OR job.kind = ?3) AND (?4 IS NULL OR job.error_code = ?4)
    AND (?5 IS NULL OR coalesce(job.finished_at, job.created_at) >= ?5)
    AND (?6 IS NULL OR instr(job.payload, ?6) > 0 OR instr(coalesce(job.last_error, ''), ?6) > 0)
    AND (?7 IS NULL OR (job.held_reason IS NOT NULL) = ?7) AND (?8 IS NULL OR job.held_reason = ?8)
    AND (?11 IS NULL OR (job.discard_at IS NOT NULL) = ?11)
    AND (?9 IS NULL OR job.id * ?12 > ?9 * ?12)
ORDER BY job.id * ?12 LIMIT ?10
