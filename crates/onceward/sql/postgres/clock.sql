-- Gives the database's time.
SELECT coalesce($1, statement_timestamp()) AS now
