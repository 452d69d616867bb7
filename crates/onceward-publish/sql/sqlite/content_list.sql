-- Gives what was last enqueued of the named contents.
SELECT content.id, content.file, content.source, content.publish_at, content.path, content.wall
FROM jsonb_each(?1) AS item CROSS JOIN onceward_content AS content ON content.id = item.value
