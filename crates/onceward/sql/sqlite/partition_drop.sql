-- Drops the oldest partition that lies before the day of a time; gives how many jobs went, or null. SQLite has none.
SELECT NULL AS n WHERE ?1 IS NOT NULL
