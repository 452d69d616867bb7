-- Leases up to so many jobs in doubt whose time to look again has come, for the purpose of finding out.
UPDATE onceward_job SET
    state = 'running', purpose = 'verify', lease_token = ?5, lease_owner = ?6, claim_no = claim_no + 1,
    attempts = attempts + 1, claimed_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    leased_until = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) + ?7
WHERE id IN (
    SELECT id FROM onceward_job
    WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = ?8
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY check_at, id LIMIT ?3)
RETURNING id, queue, kind, version, payload, attempts, tries, crashes, lone, open, stop, checks, claim_no, policy, purpose,
    dedup_scope, dedup_key, failed_at, created_at, waiting_since, claimed_at, leased_until, lease_owner,
    NULL AS look_at, claimed_at AS now
