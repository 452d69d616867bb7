-- Drops the oldest partition that lies before the day of a time; gives how many that were. SQLite has none.
SELECT count(*) FILTER (WHERE dropped) AS n
FROM (SELECT onceward.drop_partition(($1 AT TIME ZONE 'UTC')::date) AS dropped) AS oldest
