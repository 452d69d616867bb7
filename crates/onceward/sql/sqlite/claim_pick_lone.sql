-- Picks due jobs that must run alone, since they were found in a crash, and locks them.
SELECT json_group_array(id) AS ids FROM (
    SELECT id FROM onceward_job
    WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY run_at, id LIMIT ?3)
