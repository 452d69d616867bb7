-- Takes a rule's next message for one caller: whoever saw another message as the last one gets no row.
INSERT INTO onceward_alert (name, number, told, told_at)
VALUES (?1, ?3 + 1, ?4, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (name) DO UPDATE SET
    number = excluded.number, told = excluded.told, told_at = excluded.told_at, job_id = NULL
WHERE number = ?3
RETURNING number
