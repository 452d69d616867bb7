-- Says how relays stand. Reads only.
SELECT name, waiting, oldest_at, refused, refused_at, away_since, error FROM onceward.relay ORDER BY name
