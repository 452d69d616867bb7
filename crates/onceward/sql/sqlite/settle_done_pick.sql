-- Gives those of one claim's jobs whose lease still holds and that have nothing more to be decided.
SELECT json_group_array(id) AS ids FROM onceward_job
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND lease_token = ?2 AND state = 'running' AND open = 0 AND stop = 0
