-- Deletes some of the events from before a time.
DELETE FROM onceward.event WHERE id = ANY (ARRAY (SELECT id FROM onceward.event WHERE at < $1 ORDER BY id LIMIT $2))
RETURNING id
