-- Deletes processes that were not seen for so many microseconds; gives them. Leases do not depend on it.
DELETE FROM onceward.worker WHERE seen_at < coalesce($2, statement_timestamp()) - $1 * interval '1 microsecond' RETURNING boot
