-- Marks rows as handed over, as long as the claim of them holds.
UPDATE onceward.outbox SET state = 'sent', token = NULL, error = NULL, sent_at = coalesce($2, statement_timestamp())
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json))) AND token = $3 AND state = 'claimed'
RETURNING id
