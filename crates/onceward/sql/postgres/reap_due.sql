-- Gives leases that have run out (if that counts now), or whose owner is certainly gone. One that is being extended or settled is passed over.
SELECT id, queue, lease_token AS token FROM onceward.job
WHERE state = 'running' AND (($4 <> 0 AND leased_until < coalesce($2, statement_timestamp())) OR lease_owner IN (SELECT json_array_elements_text($1::text::json)))
ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
