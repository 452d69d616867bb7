-- Copies nothing: a PostgreSQL database is backed up by its own tools. Never run.
SELECT
WHERE $1::text IS NULL
