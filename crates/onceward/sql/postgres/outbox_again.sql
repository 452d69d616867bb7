-- Lets refused rows be handed over once more.
UPDATE onceward.outbox SET state = 'waiting', next_at = '1970-01-01 00:00:00Z', tries = 0
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json))) AND state = 'refused'
RETURNING id
