-- Deletes some finished jobs, unless a whole partition will be dropped with them; their dedup keys stay.
DELETE FROM onceward.job_history_rest WHERE id = ANY (ARRAY (SELECT json_array_elements_text($1::text::json)::bigint))
RETURNING queue, state
