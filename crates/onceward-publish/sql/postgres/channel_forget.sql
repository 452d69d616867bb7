-- Forgets a channel to which nothing was ever enqueued, beside another name of the same channel.
DELETE FROM onceward.channel AS channel
WHERE name = $1 AND EXISTS (SELECT 1 FROM onceward.channel WHERE name = $2)
    AND NOT EXISTS (SELECT 1 FROM onceward.content_job AS link WHERE link.channel_id = channel.id)
    AND NOT EXISTS (SELECT 1 FROM onceward.entry AS entry WHERE entry.channel_id = channel.id)
