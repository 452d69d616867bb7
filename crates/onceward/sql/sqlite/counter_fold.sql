-- Adds deltas to their figures.
INSERT INTO onceward_counter (queue, what, n)
SELECT value ->> '$.queue', value ->> '$.what', value ->> '$.n' FROM jsonb_each(?1) WHERE true
ON CONFLICT (queue, what) DO UPDATE SET n = n + excluded.n
