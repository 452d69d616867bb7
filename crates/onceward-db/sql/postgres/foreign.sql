-- Tells whether the database has tables and none of ours.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))
    AND to_regclass('onceward.onceward_migration') IS NULL AS is_foreign
