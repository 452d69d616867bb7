-- Writes down rows that were not handed over, as long as the claim of them holds: refused, or waiting once more,
-- after a pause or, as when they were written, without one.
UPDATE onceward.outbox AS row SET
    state = item.state, token = NULL, error = coalesce(item.error, row.error), tries = tries + item.tried,
    next_at = CASE WHEN item.state = 'waiting' AND item.pause = 0 THEN '1970-01-01 00:00:00Z'
        ELSE coalesce($2, statement_timestamp()) + item.pause * interval '1 microsecond' END
FROM json_to_recordset($1::text::json) AS item (id bigint, state text, error text, tried bigint, pause bigint)
WHERE row.id = item.id AND token = $3 AND row.state = 'claimed'
RETURNING row.id
