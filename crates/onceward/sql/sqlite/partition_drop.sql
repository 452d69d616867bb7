-- Drops the oldest partition that lies before the day of a time; gives how many that were. SQLite has none.
SELECT 0 AS n WHERE ?1 IS NOT NULL
