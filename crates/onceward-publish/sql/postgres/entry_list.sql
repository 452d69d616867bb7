-- Gives the newest entries of a channel.
SELECT entry FROM onceward.entry WHERE channel_id = $1 ORDER BY published_at DESC, content_id LIMIT $2
