-- Gives the number of the event before the latest so many.
SELECT coalesce(min(id), 1) - 1 AS id FROM (
    SELECT id FROM onceward.event WHERE $1::text IS NULL OR queue = $1 ORDER BY id DESC LIMIT $2) AS latest
