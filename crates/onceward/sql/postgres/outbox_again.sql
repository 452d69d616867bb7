-- Lets rows be handed over once more: refused ones, and sent ones of the replay window. The target knows a repeat.
UPDATE onceward.outbox SET state = 'waiting', next_at = '1970-01-01 00:00:00Z', tries = 0, sent_at = NULL
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json)))
    AND (state = 'refused' OR state = 'sent' AND sent_at >= $2)
RETURNING id
