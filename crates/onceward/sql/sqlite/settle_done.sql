-- Settles jobs of one claim that are done with nothing to show, and gives those whose lease holds and that have nothing
-- more to be decided. Here it picks them, and settle_done_mark.sql writes them.
-- The token alone tells that a job is running; naming the state would lead the planner to a second index.
SELECT json_group_array(id) AS ids FROM onceward_job
WHERE id IN (SELECT value FROM jsonb_each(?1)) AND lease_token = ?3 AND open = 0 AND stop = 0
