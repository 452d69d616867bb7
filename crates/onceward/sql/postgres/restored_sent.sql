-- Writes down that a step may have been sent once more than its row says, at the latest when the loss was noticed.
UPDATE onceward.effect SET
    state = 'unknown', sends = sends + 1, looks = 0, absent = 0, first_sent_at = coalesce(first_sent_at, $5), last_sent_at = $6,
    quiet_until = $7, check_at = $8, response = NULL, updated_at = coalesce($2, statement_timestamp())
WHERE job_id = $1 AND step = $3 AND generation = $4 AND state <> 'accepted'
