-- Gives what happened to queues after an event, oldest first.
SELECT id, at, queue, what, detail FROM onceward.event
WHERE id > $1 AND ($2::text IS NULL OR queue = $2) ORDER BY id LIMIT $3
