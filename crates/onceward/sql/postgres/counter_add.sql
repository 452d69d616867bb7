-- Adds to status figures without touching a row that others write.
INSERT INTO onceward.counter_delta (queue, what, n)
SELECT queue, what, n FROM json_to_recordset($1::text::json) AS item (queue text, what text, n bigint)
