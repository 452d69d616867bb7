-- Leases up to so many due jobs of a queue to one worker. The subquery runs once, so no more than that many are taken;
-- a job that another worker is taking is passed over.
UPDATE onceward.job SET
    state = 'running', purpose = 'run', lease_token = $5, lease_owner = $6, claim_no = claim_no + 1,
    attempts = attempts + 1, claimed_at = coalesce($2, statement_timestamp()),
    leased_until = coalesce($2, statement_timestamp()) + $7 * interval '1 microsecond'
WHERE id = ANY (ARRAY (
    SELECT id FROM onceward.job
    WHERE queue = $1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce($2, statement_timestamp()) AND NOT lone
        AND version <= ((SELECT $4::text::jsonb) ->> kind)::bigint
    ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED))
RETURNING id, queue, kind, version, payload, attempts, tries, crashes, lone, open, stop, checks, claim_no, policy, purpose,
    dedup_scope, dedup_key, failed_at, created_at, waiting_since, claimed_at, leased_until, lease_owner,
    NULL::timestamptz AS look_at, claimed_at AS now
