-- Deletes some of the events from before a time.
DELETE FROM onceward_event WHERE id IN (SELECT id FROM onceward_event WHERE at < ?1 ORDER BY id LIMIT ?2)
RETURNING id
