-- Gives how those of the named jobs ended that did. To be run after job_lock, so that none is between the two.
SELECT id, state FROM onceward.job_history WHERE id IN (SELECT json_array_elements_text($1::text::json)::bigint)
