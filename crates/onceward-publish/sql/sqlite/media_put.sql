-- Keeps a picture or film by its hash, once.
INSERT INTO onceward_media (sha256, mime, bytes, created_at)
VALUES (?1, ?2, ?3, coalesce(?4, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (sha256) DO NOTHING
