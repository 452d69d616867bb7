-- Gives contents that wait for a time of a wall clock.
SELECT id, publish_at, wall FROM onceward_content WHERE wall IS NOT NULL AND publish_at > coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
