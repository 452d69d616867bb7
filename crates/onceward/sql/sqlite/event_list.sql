-- Gives what happened to queues after an event, oldest first.
SELECT id, at, queue, what, detail FROM onceward_event
WHERE id > ?1 AND (?2 IS NULL OR queue = ?2) ORDER BY id LIMIT ?3
