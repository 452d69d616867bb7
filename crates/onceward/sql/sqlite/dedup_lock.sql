-- Gives and locks the jobs that have the named keys.
SELECT held.scope, held.key, held.job_id FROM jsonb_each(?1) AS item
JOIN onceward_dedup AS held ON held.scope = item.value ->> '$.scope' AND held.key = item.value ->> '$.key'
