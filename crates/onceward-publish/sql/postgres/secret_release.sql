-- Ends a claim that gave no new session.
UPDATE onceward.secret SET claim = NULL, claim_until = NULL WHERE name = $1 AND claim = $2
