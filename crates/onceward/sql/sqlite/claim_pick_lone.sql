-- Picks due jobs that must run alone, since they were found in a crash, and locks them.
-- One document in one row: a row costs more to hand over than its text.
SELECT json_group_array(json_array(id, kind, version, payload, attempts, claim_no, lone, created_at, dedup_scope, dedup_key)) AS jobs,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM (
    SELECT * FROM onceward_job
    WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY run_at, id LIMIT ?3)
