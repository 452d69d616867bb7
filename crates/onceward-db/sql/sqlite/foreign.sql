-- Tells whether the database has tables and none of ours.
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*')
    AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'onceward_migration') AS is_foreign
