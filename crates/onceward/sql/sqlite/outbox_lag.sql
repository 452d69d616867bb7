-- Says how many rows wait, how many of them are in a relay's hands or behind a refused one of their key, how many are
-- refused, and when the oldest was written.
-- A state is asked twice where SQLite uses a partial index only if the index's own words stand there.
SELECT (SELECT count(*) FROM onceward_outbox WHERE state IN ('waiting', 'claimed')) AS waiting,
    (SELECT count(*) FROM onceward_outbox WHERE state = 'refused') AS refused,
    (SELECT created_at FROM onceward_outbox WHERE state IN ('waiting', 'claimed') ORDER BY id LIMIT 1) AS oldest_at,
    (SELECT created_at FROM onceward_outbox WHERE state = 'refused' ORDER BY id LIMIT 1) AS refused_at,
    (SELECT count(*)
        FROM (SELECT ordering_key, min(id) AS id FROM onceward_outbox WHERE state = 'refused' GROUP BY ordering_key) AS elder
        JOIN onceward_outbox AS row ON row.ordering_key = elder.ordering_key AND row.id > elder.id
        WHERE row.state IN ('waiting', 'claimed', 'refused') AND row.state = 'waiting') AS held_back,
    (SELECT count(*) FROM onceward_outbox WHERE state IN ('waiting', 'claimed') AND state = 'claimed'
        AND next_at > coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER))) AS claimed,
    (SELECT max(next_at) FROM onceward_outbox WHERE state IN ('waiting', 'claimed') AND state = 'claimed'
        AND next_at > coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER))) AS claimed_until,
    coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
