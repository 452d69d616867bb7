-- Gives what each channel's server said it takes, and how long ago in microseconds.
SELECT id, learned, coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) - learned_at AS age
FROM onceward_channel WHERE learned IS NOT NULL
