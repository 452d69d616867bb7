-- Writes nothing: here settle_done.sql has written it all. Never run.
SELECT
WHERE $1::text IS NULL AND $2::timestamptz IS NULL AND $3::text IS NULL
