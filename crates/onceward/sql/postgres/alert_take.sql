-- Takes a rule's next message for one caller: whoever saw another message as the last one gets no row.
INSERT INTO onceward.alert AS held (name, number, told, told_at)
VALUES ($1, $3::bigint + 1, $4, coalesce($2, statement_timestamp()))
ON CONFLICT (name) DO UPDATE SET
    number = excluded.number, told = excluded.told, told_at = excluded.told_at, job_id = NULL
WHERE held.number = $3
RETURNING number
