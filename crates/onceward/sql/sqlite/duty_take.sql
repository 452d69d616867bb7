-- Takes duties that are due, each for one caller until its next time; gives the ones that were taken.
UPDATE onceward_duty SET next_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (item.value ->> '$.every')
FROM jsonb_each(?1) AS item
WHERE name = item.value ->> '$.name' AND (next_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) OR next_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + (item.value ->> '$.every'))
RETURNING name
