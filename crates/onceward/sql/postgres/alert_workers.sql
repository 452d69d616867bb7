-- Gives workers that stopped without a word, not seen for so many microseconds and alive for less than so many. Reads only.
SELECT boot, queues, started_at, seen_at FROM onceward.worker
WHERE seen_at < coalesce($2, statement_timestamp()) - $1 * interval '1 microsecond'
    AND seen_at - started_at < $3 * interval '1 microsecond'
ORDER BY seen_at, boot
