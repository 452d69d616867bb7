-- Says which duties are due, and the database's time. One whose time lies further off than its period was put there by
-- a clock that has gone back since, and is due.
SELECT name, next_at <= coalesce($2, statement_timestamp()) OR next_at > coalesce($2, statement_timestamp()) + item.every * interval '1 microsecond' AS due, coalesce($2, statement_timestamp()) AS now
FROM json_to_recordset($1::text::json) AS item (name text, every bigint) JOIN onceward.duty USING (name)
