-- Gives, for some queues, when the first job that is not held is or was due, and the first of those that failed before, by
-- the index that claims use. Reads only.
SELECT item.name, coalesce($2, statement_timestamp()) AS now,
    (SELECT run_at FROM onceward.job WHERE queue = item.name AND state = 'pending' AND held_reason IS NULL
     ORDER BY run_at LIMIT 1) AS first_at,
    (SELECT run_at FROM onceward.job WHERE queue = item.name AND state = 'pending' AND held_reason IS NULL AND last_error IS NOT NULL
     ORDER BY run_at LIMIT 1) AS retry_at
FROM json_array_elements_text($1::text::json) AS item (name)
