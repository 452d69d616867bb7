-- Adds to status figures without touching a row that others write.
INSERT INTO onceward_counter_delta (queue, what, n)
SELECT value ->> '$.queue', value ->> '$.what', value ->> '$.n' FROM jsonb_each(?1)
