-- Gives jobs that crashed their worker again although they ran alone, at most so many; and those that died of it. Reads only.
SELECT id, queue, crashes, coalesce(failed_at, created_at) AS at FROM onceward_job
WHERE lone = 1 AND crashes > 0 AND state IN ('pending', 'running') AND kind <> ?1
UNION ALL
SELECT id, queue, crashes, coalesce(failed_at, created_at) FROM onceward_job
WHERE state = 'dead' AND error_code = 'crashed' AND discard_at IS NULL AND kind <> ?1
ORDER BY id LIMIT ?2
