-- Gives contents with their times, the newest first, after the named one.
SELECT id, file, title, publish_at, created_at, updated_at FROM onceward.content
WHERE $1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM onceward.content WHERE id = $1)
ORDER BY created_at DESC, id DESC LIMIT $2
