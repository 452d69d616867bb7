-- What a channel's server said it takes, and when.

ALTER TABLE onceward.channel ADD COLUMN learned text;         -- JSON
ALTER TABLE onceward.channel ADD COLUMN learned_at timestamptz;
