-- Claims rows that were not handed over yet, the oldest first. Several relays never claim one row, and none claims a
-- row of a key while an elder one of that key is refused, pauses, or is in another relay's hands.
WITH picked AS MATERIALIZED (
    SELECT id FROM onceward.outbox AS row
    WHERE state IN ('waiting', 'claimed') AND next_at <= coalesce($2, statement_timestamp())
        AND (ordering_key IS NULL OR NOT EXISTS (
            SELECT 1 FROM onceward.outbox AS elder
            WHERE elder.ordering_key = row.ordering_key AND elder.id < row.id
                AND elder.state IN ('waiting', 'claimed', 'refused')
                AND (elder.state = 'refused' OR elder.next_at > coalesce($2, statement_timestamp()))))
    ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
UPDATE onceward.outbox AS row SET
    state = 'claimed', token = $3, next_at = coalesce($2, statement_timestamp()) + $4 * interval '1 microsecond'
FROM picked
WHERE row.id = picked.id
    AND (ordering_key IS NULL OR NOT EXISTS (
        SELECT 1 FROM onceward.outbox AS elder
        WHERE elder.ordering_key = row.ordering_key AND elder.id < row.id
            AND elder.state IN ('waiting', 'claimed', 'refused') AND elder.id NOT IN (SELECT id FROM picked)))
RETURNING row.id, message_id::text AS message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers,
    run_at, created_at, tries
