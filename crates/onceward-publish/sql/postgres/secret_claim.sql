-- Lets one caller renew a session, if it is still the one that the caller knows and nobody else renews it.
INSERT INTO onceward.secret AS it (name, version, claim, claim_until, updated_at)
VALUES ($1, $2, $3, coalesce($5, statement_timestamp()) + $4 * interval '1 microsecond', coalesce($5, statement_timestamp()))
ON CONFLICT (name) DO UPDATE SET claim = excluded.claim, claim_until = excluded.claim_until
WHERE (it.version = $2 OR it.sealed IS NULL) AND (it.claim_until IS NULL OR it.claim_until <= coalesce($5, statement_timestamp()))
