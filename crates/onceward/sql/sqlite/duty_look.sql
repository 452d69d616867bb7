-- Says which duties are due, and the database's time. One whose time lies further off than its period was put there by
-- a clock that has gone back since, and is due.
SELECT name, next_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) OR next_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (item.value ->> '$.every') AS due, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM jsonb_each(?1) AS item JOIN onceward_duty ON name = item.value ->> '$.name'
