-- Writes down how a relay stands.
INSERT INTO onceward_relay (name, waiting, oldest_at, refused, refused_at, away_since, error)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (name) DO UPDATE SET
    waiting = excluded.waiting, oldest_at = excluded.oldest_at, refused = excluded.refused,
    refused_at = excluded.refused_at, away_since = excluded.away_since, error = excluded.error
