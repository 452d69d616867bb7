-- Gives workers that stopped without a word, not seen for so many microseconds and alive for less than so many. Reads only.
SELECT boot, queues, started_at, seen_at FROM onceward_worker
WHERE seen_at < coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) - ?1 AND seen_at - started_at < ?3
ORDER BY seen_at, boot
