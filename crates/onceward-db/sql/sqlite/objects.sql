-- Gives what is there under our names, without what the engine makes by itself.
SELECT type AS kind, name
FROM sqlite_schema
WHERE name GLOB 'onceward_*'
UNION ALL
SELECT 'column', made.name || '.' || part.name
FROM sqlite_schema AS made, pragma_table_xinfo(made.name) AS part
WHERE made.type = 'table' AND made.name GLOB 'onceward_*'
