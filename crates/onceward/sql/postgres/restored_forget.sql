-- Forgets that more of the named jobs may have been sent: a person answers for them.
DELETE FROM onceward.restored WHERE job_id IN (SELECT json_array_elements_text($1::text::json)::bigint)
