-- Deletes the attempts of some jobs.
DELETE FROM onceward.attempt WHERE job_id = ANY (ARRAY (SELECT json_array_elements_text($1::text::json)::bigint))
