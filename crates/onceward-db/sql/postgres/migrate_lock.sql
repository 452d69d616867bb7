-- One migration runs at a time: held until the end of the transaction, so that a pooler does no harm.
SELECT pg_advisory_xact_lock(7310593858020254331) IS NOT NULL AS locked
