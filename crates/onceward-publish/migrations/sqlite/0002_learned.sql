-- What a channel's server said it takes, and when.

ALTER TABLE onceward_channel ADD COLUMN learned TEXT;         -- JSON
ALTER TABLE onceward_channel ADD COLUMN learned_at INTEGER;
