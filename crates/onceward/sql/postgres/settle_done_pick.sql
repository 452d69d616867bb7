-- Gives those of one claim's jobs whose lease still holds and that have nothing more to be decided.
-- The token alone tells that a job is running; naming the state would lead the planner to a second index.
SELECT coalesce(json_agg(id), '[]')::text AS ids FROM onceward.job
WHERE id = ANY (ARRAY (SELECT value::bigint FROM json_array_elements_text($1::text::json) AS value))
    AND lease_token = $2 AND open = 0 AND NOT stop
