-- Makes the partitions of today and some days after it; gives how many are new. SQLite has none.
SELECT count(*) FILTER (WHERE made) AS n FROM (
    SELECT onceward.make_partition((coalesce($1, statement_timestamp()) AT TIME ZONE 'UTC')::date + day::integer) AS made
    FROM generate_series(0, $2) AS day) AS days
