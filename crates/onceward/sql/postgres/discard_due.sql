-- Gives dead jobs whose discard can no longer be undone.
SELECT id FROM onceward.job
WHERE state = 'dead' AND discard_at <= coalesce($1, statement_timestamp()) LIMIT $2
