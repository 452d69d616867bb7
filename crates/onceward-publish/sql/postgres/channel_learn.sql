-- Keeps what a channel's server said it takes.
UPDATE onceward.channel SET learned = $3, learned_at = coalesce($2, statement_timestamp()) WHERE id = $1
