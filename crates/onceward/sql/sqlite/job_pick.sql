-- Gives the ids of jobs in any state that match a filter, newest first. Reads only, counts nothing.
SELECT job.id FROM onceward_job_all AS job
WHERE (?1 IS NULL OR job.state IN (SELECT value FROM jsonb_each(?1)))
    AND (?2 IS NULL OR job.queue = ?2) AND (?3 IS NULL OR job.kind = ?3) AND (?4 IS NULL OR job.error_code = ?4)
    AND (?5 IS NULL OR coalesce(job.finished_at, job.created_at) >= ?5)
    AND (?6 IS NULL OR instr(job.payload, ?6) > 0 OR instr(coalesce(job.last_error, ''), ?6) > 0)
    AND (?7 IS NULL OR (job.held_reason IS NOT NULL) = ?7) AND (?8 IS NULL OR job.held_reason = ?8)
    AND (?11 IS NULL OR (job.discard_at IS NOT NULL) = ?11)
    AND (?9 IS NULL OR job.id < ?9)
ORDER BY job.id DESC LIMIT ?10
