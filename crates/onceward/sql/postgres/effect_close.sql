-- Counts an effect of a job as no longer open. A doubt with nothing open is looked at again at once.
UPDATE onceward.job SET open = open - 1, check_at = CASE WHEN state = 'in_doubt' AND open = 1 THEN coalesce($2, statement_timestamp()) ELSE check_at END
WHERE id = $1 AND open > 0
RETURNING open
