-- Makes the partitions of today and some days after it; gives how many are new. SQLite has none.
SELECT 0 AS n WHERE coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) IS NOT NULL AND ?2 IS NOT NULL
