-- Gives the ids of unfinished jobs that match a filter, in either direction. Walks the small indexes of each state, so
-- that what is finished costs nothing, however much it is.
SELECT job.id FROM (
    SELECT id FROM onceward.job WHERE state = 'pending' AND held_reason IS NULL AND $1::text::jsonb ? 'pending'
    UNION ALL
    SELECT id FROM onceward.job WHERE state = 'pending' AND held_reason IS NOT NULL AND $1::text::jsonb ? 'pending'
    UNION ALL
    SELECT id FROM onceward.job WHERE state = 'running' AND $1::text::jsonb ? 'running'
    UNION ALL
    SELECT id FROM onceward.job WHERE state = 'in_doubt' AND $1::text::jsonb ? 'in_doubt'
    UNION ALL
    SELECT id FROM onceward.job WHERE state = 'dead' AND $1::text::jsonb ? 'dead'
) AS found JOIN onceward.job ON job.id = found.id
WHERE true
    AND ($2::text IS NULL OR job.queue = $2) AND ($3::text IS NULL OR job.kind = $3) AND ($4::text IS NULL OR job.error_code = $4)
    AND ($5::timestamptz IS NULL OR coalesce(job.finished_at, job.created_at) >= $5)
    AND ($6::text IS NULL OR position($6 IN job.payload) > 0 OR position($6 IN coalesce(job.last_error, '')) > 0)
    AND ($7::bigint IS NULL OR (job.held_reason IS NOT NULL) = ($7 <> 0)) AND ($8::text IS NULL OR job.held_reason = $8)
    AND ($11::bigint IS NULL OR (job.discard_at IS NOT NULL) = ($11 <> 0))
    AND ($9::bigint IS NULL OR job.id * $12::bigint > $9 * $12)
ORDER BY job.id * $12::bigint LIMIT $10
