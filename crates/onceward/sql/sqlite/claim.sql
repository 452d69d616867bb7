-- Leases up to so many due jobs of a queue to one worker. The subquery runs once, so no more than that many are taken;
-- a job that another worker is taking is passed over.
UPDATE onceward_job SET
    state = 'running', purpose = 'run', lease_token = ?5, lease_owner = ?6, claim_no = claim_no + 1,
    attempts = attempts + 1, claimed_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    leased_until = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + ?7
WHERE id IN (
    SELECT id FROM onceward_job
    WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 0
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY run_at, id LIMIT ?3)
RETURNING id, queue, kind, version, payload, attempts, tries, crashes, lone, open, stop, checks, claim_no, policy, purpose,
    dedup_scope, dedup_key, failed_at, created_at, waiting_since, claimed_at, leased_until, lease_owner,
    NULL AS look_at, claimed_at AS now
