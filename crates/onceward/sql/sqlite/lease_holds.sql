-- Says whether a lease is still held and has not run out.
SELECT count(*) AS n FROM onceward_job WHERE id = ?1 AND state = 'running' AND lease_token = ?3 AND leased_until > coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
