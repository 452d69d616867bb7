-- Gives the ids of jobs in any state that match a filter, newest first. Reads only, counts nothing.
SELECT job.id FROM onceward.job_all AS job
WHERE ($1::text IS NULL OR job.state IN (SELECT json_array_elements_text($1::json)))
    AND ($2::text IS NULL OR job.queue = $2) AND ($3::text IS NULL OR job.kind = $3) AND ($4::text IS NULL OR job.error_code = $4)
    AND ($5::timestamptz IS NULL OR coalesce(job.finished_at, job.created_at) >= $5)
    AND ($6::text IS NULL OR position($6 IN job.payload) > 0 OR position($6 IN coalesce(job.last_error, '')) > 0)
    AND ($7::bigint IS NULL OR (job.held_reason IS NOT NULL) = ($7 <> 0)) AND ($8::text IS NULL OR job.held_reason = $8)
    AND ($11::bigint IS NULL OR (job.discard_at IS NOT NULL) = ($11 <> 0))
    AND ($9::bigint IS NULL OR job.id < $9)
ORDER BY job.id DESC LIMIT $10
