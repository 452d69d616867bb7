-- Gives a secret as it is sealed; one that is only claimed is none.
SELECT version, key_id, sealed FROM onceward_secret WHERE name = ?1 AND sealed IS NOT NULL
