-- Keeps a picture or film by its hash, once.
INSERT INTO onceward.media (sha256, mime, bytes, created_at)
VALUES ($1, $2, $3, coalesce($4, statement_timestamp()))
ON CONFLICT (sha256) DO NOTHING
