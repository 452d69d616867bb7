-- Says how many rows wait, how many are refused, and when the oldest of each was written.
SELECT (SELECT count(*) FROM onceward.outbox WHERE state IN ('waiting', 'claimed')) AS waiting,
    (SELECT count(*) FROM onceward.outbox WHERE state = 'refused') AS refused,
    (SELECT created_at FROM onceward.outbox WHERE state IN ('waiting', 'claimed') ORDER BY id LIMIT 1) AS oldest_at,
    (SELECT created_at FROM onceward.outbox WHERE state = 'refused' ORDER BY id LIMIT 1) AS refused_at,
    coalesce($1, statement_timestamp()) AS now
