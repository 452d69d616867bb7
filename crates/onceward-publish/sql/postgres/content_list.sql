-- Gives what was last enqueued of the named contents.
SELECT content.id, content.file, content.source, content.publish_at, content.path, content.wall
FROM json_array_elements_text($1::text::json) AS item(value) JOIN onceward.content AS content ON content.id = item.value
