-- Lets go of message keys whose jobs were not made after all.
DELETE FROM onceward_dedup WHERE EXISTS (
    SELECT 1 FROM jsonb_each(?1) AS item
    WHERE item.value ->> 'scope' = scope AND item.value ->> 'key' = onceward_dedup.key AND item.value ->> 'id' = job_id)
