-- Gives the processes that were seen within so many microseconds.
SELECT boot, queues, started_at, seen_at FROM onceward_worker WHERE seen_at >= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) - ?1 ORDER BY started_at, boot
