-- Gives refused rows up, which frees their ordering keys.
UPDATE onceward.outbox SET state = 'skipped', sent_at = coalesce($2, statement_timestamp())
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json))) AND state = 'refused'
RETURNING id
