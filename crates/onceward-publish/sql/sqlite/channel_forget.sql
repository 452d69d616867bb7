-- Forgets a channel to which nothing was ever enqueued, beside another name of the same channel.
DELETE FROM onceward_channel
WHERE name = ?1 AND EXISTS (SELECT 1 FROM onceward_channel WHERE name = ?2)
    AND NOT EXISTS (SELECT 1 FROM onceward_content_job AS link WHERE link.channel_id = onceward_channel.id)
    AND NOT EXISTS (SELECT 1 FROM onceward_entry AS entry WHERE entry.channel_id = onceward_channel.id)
