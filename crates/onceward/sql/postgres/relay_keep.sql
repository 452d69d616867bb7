-- Forgets all relays but the named ones.
DELETE FROM onceward.relay WHERE name NOT IN (SELECT json_array_elements_text($1::text::json))
