-- Writes what was decided about effects. One whose state is not the one it was decided on is not hit.
UPDATE onceward_effect SET
    state = item.value ->> '$.state',
    looks = item.value ->> '$.looks',
    absent = item.value ->> '$.absent',
    check_at = item.value ->> '$.check_at',
    remote_url = item.value ->> '$.remote_url',
    response = item.value ->> '$.response',
    updated_at = coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
FROM jsonb_each(?1) AS item
WHERE job_id = item.value ->> '$.id' AND step = item.value ->> '$.step' AND generation = item.value ->> '$.generation'
    AND onceward_effect.state = item.value ->> '$.was'
RETURNING job_id
