-- Picks jobs in doubt that must run alone and whose time to look again has come, and locks them.
SELECT json_group_array(id) AS ids FROM (
    SELECT id FROM onceward_job
    WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY check_at, id LIMIT ?3)
