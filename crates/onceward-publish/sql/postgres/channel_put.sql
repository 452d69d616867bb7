-- Gives a channel its stable id; a name that has one keeps it.
INSERT INTO onceward.channel (id, name, created_at)
VALUES ($1, $2, coalesce($3, statement_timestamp()))
ON CONFLICT (name) DO NOTHING
