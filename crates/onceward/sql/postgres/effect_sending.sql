-- Makes the intent durable: from now on it may happen.
UPDATE onceward.effect SET
    state = 'sending', token = $4, sends = sends + 1, first_sent_at = coalesce(first_sent_at, coalesce($2, statement_timestamp())), last_sent_at = coalesce($2, statement_timestamp()),
    quiet_until = $6, check_at = $7, updated_at = coalesce($2, statement_timestamp())
WHERE job_id = $1 AND step = $3 AND generation = $5 AND state <> 'accepted'
RETURNING sends
