-- Gives one content with its times.
SELECT id, file, title, publish_at, created_at, updated_at FROM onceward_content WHERE id = ?1
