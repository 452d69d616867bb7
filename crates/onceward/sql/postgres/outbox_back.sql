-- Takes rows out of the hands of processes that are gone; they wait as when they were written.
UPDATE onceward.outbox SET state = 'waiting', token = NULL, next_at = '1970-01-01 00:00:00Z'
WHERE state = 'claimed' AND substr(token, 1, 32) IN (SELECT json_array_elements_text($1::text::json))
RETURNING id
