-- Leases jobs that were picked, and locked by that, in the same transaction.
-- A place is where a row lies, which is its id here.
UPDATE onceward_job SET
    state = 'running', purpose = ?5, lease_token = ?3, lease_owner = ?4, claim_no = claim_no + 1, attempts = attempts + 1,
    claimed_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    leased_until = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + ?6
WHERE id IN (SELECT value FROM jsonb_each(?1))
