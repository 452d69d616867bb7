-- Renames a channel, which keeps its stable id; not over one that has the new name already.
UPDATE onceward.channel SET name = $2
WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM onceward.channel WHERE name = $2)
