-- Drops the oldest partition that lies before the day of a time; gives how many jobs went, or null. SQLite has none.
SELECT onceward.drop_partition(($1 AT TIME ZONE 'UTC')::date) AS n
