-- Gives those of the named jobs that match a filter, in either direction.
SELECT job.id FROM (SELECT DISTINCT value AS id FROM jsonb_each(?13)) AS named CROSS JOIN onceward_job_all AS job ON job.id = named.id
WHERE (?1 IS NULL OR job.state IN (SELECT value FROM jsonb_each(?1)))
    AND (?2 IS NULL OR job.queue = ?2) AND (?3 IS NULL OR job.kind = ?3) AND (?4 IS NULL OR job.error_code = ?4)
    AND (?5 IS NULL OR coalesce(job.finished_at, job.created_at) >= ?5)
    AND (?6 IS NULL OR instr(job.payload, ?6) > 0 OR instr(coalesce(job.last_error, ''), ?6) > 0)
    AND (?7 IS NULL OR (job.held_reason IS NOT NULL) = ?7) AND (?8 IS NULL OR job.held_reason = ?8)
    AND (?11 IS NULL OR (job.discard_at IS NOT NULL) = ?11)
    AND (?9 IS NULL OR job.id * ?12 > ?9 * ?12)
ORDER BY job.id * ?12 LIMIT ?10
