-- Gives those of one claim's jobs whose lease still holds and that have nothing more to be decided.
-- The token alone tells that a job is running; naming the state would lead the planner to a second index.
SELECT json_group_array(id) AS ids FROM onceward_job
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND lease_token = ?2 AND open = 0 AND stop = 0
