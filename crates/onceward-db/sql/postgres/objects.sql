-- Gives what is there in our schema, without what the engine makes by itself and the days of the history.
WITH ours AS (
  SELECT oid, relname, relkind
  FROM pg_catalog.pg_class
  WHERE relnamespace = to_regnamespace('onceward')
    AND NOT (relispartition AND relkind = 'i')
    AND relname !~ '^job_history_[0-9]+'
)
SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' ELSE 'index' END AS kind,
  relname::text AS name
FROM ours
WHERE relkind IN ('v', 'r', 'p')
  OR relkind IN ('i', 'I') AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conindid = ours.oid)
UNION ALL
SELECT 'column', relname || '.' || attname
FROM ours
JOIN pg_catalog.pg_attribute ON attrelid = ours.oid
WHERE relkind = 'r' AND relname <> 'job_history_rest' AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'function', proname::text
FROM pg_catalog.pg_proc
WHERE pronamespace = to_regnamespace('onceward')
