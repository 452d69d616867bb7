-- Counts an effect of a job as no longer open. A doubt with nothing open is looked at again at once.
UPDATE onceward_job SET open = open - 1, check_at = iif(state = 'in_doubt' AND open = 1, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), check_at)
WHERE id = ?1 AND open > 0
RETURNING open
