-- Gives dead jobs whose discard can no longer be undone.
SELECT id FROM onceward_job
WHERE state = 'dead' AND discard_at <= coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) LIMIT ?2
