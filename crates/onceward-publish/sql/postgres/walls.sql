-- Gives contents that wait for a time of a wall clock.
SELECT id, publish_at, wall FROM onceward.content WHERE wall IS NOT NULL AND publish_at > coalesce($1, statement_timestamp())
