-- Gives the database's time.
SELECT coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
