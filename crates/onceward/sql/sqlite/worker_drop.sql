-- Deletes processes that were not seen for so many microseconds; gives them. Leases do not depend on it.
DELETE FROM onceward_worker WHERE seen_at < coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) - ?1 RETURNING boot
