-- Leases jobs that were picked, and locked by that, in the same transaction.
-- A place is where a row lies: found without an index, and good only as long as the lock is held.
UPDATE onceward.job SET
    state = 'running', purpose = $5, lease_token = $3, lease_owner = $4, claim_no = claim_no + 1, attempts = attempts + 1,
    claimed_at = coalesce($2, statement_timestamp()),
    leased_until = coalesce($2, statement_timestamp()) + $6 * interval '1 microsecond'
WHERE ctid = ANY (ARRAY (SELECT unnest($1::text::tid[])))
