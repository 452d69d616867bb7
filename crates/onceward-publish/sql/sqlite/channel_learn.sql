-- Keeps what a channel's server said it takes.
UPDATE onceward_channel SET learned = ?3, learned_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) WHERE id = ?1
