-- Takes duties that are due, each for one caller until its next time; gives the ones that were taken.
UPDATE onceward.duty SET next_at = coalesce($2, statement_timestamp()) + item.every * interval '1 microsecond'
FROM (
    SELECT name, every FROM json_to_recordset($1::text::json) AS item (name text, every bigint) JOIN onceward.duty USING (name)
    WHERE next_at <= coalesce($2, statement_timestamp()) OR next_at > coalesce($2, statement_timestamp()) + every * interval '1 microsecond'
    ORDER BY name FOR UPDATE OF duty SKIP LOCKED) AS item
WHERE duty.name = item.name
RETURNING duty.name
