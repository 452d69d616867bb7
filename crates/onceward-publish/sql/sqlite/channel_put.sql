-- Gives a channel its stable id; a name that has one keeps it.
INSERT INTO onceward_channel (id, name, created_at)
VALUES (?1, ?2, coalesce(?3, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (name) DO NOTHING
