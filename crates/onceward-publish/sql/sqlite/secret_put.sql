-- Keeps a secret in place of what was there.
INSERT INTO onceward_secret (name, version, key_id, sealed, updated_at)
VALUES (?1, ?2, ?3, ?4, coalesce(?5, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (name) DO UPDATE SET
  version = excluded.version, key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at,
  claim = NULL, claim_until = NULL
