-- Gives the processes that were seen within so many microseconds.
SELECT boot, queues, started_at, seen_at FROM onceward.worker
WHERE seen_at >= coalesce($2, statement_timestamp()) - $1 * interval '1 microsecond' ORDER BY started_at, boot
