-- Gives all secrets as they are sealed.
SELECT name, version, key_id, sealed, updated_at FROM onceward_secret WHERE sealed IS NOT NULL ORDER BY name
