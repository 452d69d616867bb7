-- Leases jobs that were picked, and locked by that, in the same transaction.
UPDATE onceward.job SET
    state = 'running', purpose = $5, lease_token = $3, lease_owner = $4, claim_no = claim_no + 1, attempts = attempts + 1,
    claimed_at = coalesce($2, statement_timestamp()),
    leased_until = coalesce($2, statement_timestamp()) + $6 * interval '1 microsecond'
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json) AS value))
