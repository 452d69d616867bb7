-- Looks through jobs by number: which of them finished before a time, and whether younger ones follow. Reads only.
SELECT id, true AS old, false AS young
FROM onceward.job_history WHERE finished_at < $1 AND id > $2 ORDER BY id LIMIT $3
