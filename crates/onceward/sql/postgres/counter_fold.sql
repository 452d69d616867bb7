-- Adds deltas to their figures.
INSERT INTO onceward.counter AS held (queue, what, n)
SELECT queue, what, n FROM json_to_recordset($1::text::json) AS item (queue text, what text, n bigint)
ON CONFLICT (queue, what) DO UPDATE SET n = held.n + excluded.n
