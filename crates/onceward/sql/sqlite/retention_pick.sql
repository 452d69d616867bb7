-- Looks through jobs by number: which of them finished before a time, and whether younger ones follow. Reads only.
SELECT id, state IN ('done', 'cancelled') AND finished_at < ?1 AS old, created_at >= ?1 AS young
FROM onceward_job WHERE id > ?2 ORDER BY id LIMIT ?3
