-- Picks up to so many due jobs of a queue, and locks them. One that another worker is taking is passed over.
SELECT json_group_array(id) AS ids FROM (
    SELECT id FROM onceward_job
    WHERE queue = ?1 AND state = 'pending' AND held_reason IS NULL AND run_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 0
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY run_at, id LIMIT ?3)
