-- Claims rows that were not handed over yet, the oldest first. Several relays never claim one row, and none claims a
-- row of a key while an elder one of that key is refused, pauses, or is in another relay's hands. What blocks a key is
-- asked once for all rows, and `SKIP LOCKED` may jump over an elder that another relay is claiming at this moment.
WITH blocked AS MATERIALIZED (
    SELECT ordering_key, min(id) AS id FROM onceward.outbox
    WHERE ordering_key IS NOT NULL AND state IN ('waiting', 'claimed', 'refused') AND next_at > '1970-01-01 00:00:00Z'
        AND (state = 'refused' OR next_at > coalesce($2, statement_timestamp()))
    GROUP BY ordering_key),
picked AS MATERIALIZED (
    SELECT id FROM onceward.outbox AS row
    WHERE state IN ('waiting', 'claimed') AND next_at <= coalesce($2, statement_timestamp())
        AND NOT EXISTS (SELECT 1 FROM blocked WHERE blocked.ordering_key = row.ordering_key AND blocked.id < row.id)
    ORDER BY id LIMIT $1 FOR UPDATE OF row SKIP LOCKED),
jumped AS MATERIALIZED (
    SELECT ordering_key, min(id) AS id FROM onceward.outbox
    WHERE state IN ('waiting', 'claimed') AND ordering_key IS NOT NULL
        AND id < (SELECT max(id) FROM picked) AND id NOT IN (SELECT id FROM picked)
    GROUP BY ordering_key)
UPDATE onceward.outbox AS row SET
    state = 'claimed', token = $3, next_at = coalesce($2, statement_timestamp()) + $4 * interval '1 microsecond'
WHERE id = ANY (ARRAY (SELECT id FROM picked))
    AND NOT EXISTS (SELECT 1 FROM jumped WHERE jumped.ordering_key = row.ordering_key AND jumped.id < row.id)
RETURNING row.id, message_id::text AS message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers,
    run_at, created_at, tries
