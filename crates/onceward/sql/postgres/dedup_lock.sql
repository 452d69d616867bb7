-- Gives and locks the jobs that have the named keys.
SELECT held.scope, held.key, held.job_id FROM json_to_recordset($1::text::json) AS item (scope text, key text)
JOIN onceward.dedup AS held ON held.scope = item.scope AND held.key = item.key
ORDER BY held.scope, held.key FOR UPDATE OF held
