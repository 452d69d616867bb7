-- Claims rows that were not handed over yet, the oldest first. Several relays never claim one row, and none claims a
-- row of a key while an elder one of that key is refused, pauses, or is in another relay's hands.
UPDATE onceward_outbox SET
    state = 'claimed', token = ?3, next_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + ?4
WHERE id IN (
    SELECT id FROM onceward_outbox AS row
    WHERE state IN ('waiting', 'claimed') AND next_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
        AND (ordering_key IS NULL OR NOT EXISTS (
            SELECT 1 FROM onceward_outbox AS elder
            WHERE elder.ordering_key = row.ordering_key AND elder.id < row.id
                AND elder.state IN ('waiting', 'claimed', 'refused') AND elder.next_at > 0
                AND (elder.state = 'refused' OR elder.next_at > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))))
    ORDER BY id LIMIT ?1)
RETURNING id, message_id, queue, kind, version, payload, dedup_key, dedup_for, ordering_key, headers, run_at, created_at, tries
