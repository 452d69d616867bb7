-- Takes note that this file is a backup in the place of its store. Gives a row to the first who finds that.
UPDATE onceward_lineage SET
    name = NULL,
    since = coalesce(?1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    lost_from = coalesce(lost_from, (SELECT max(seen_at) FROM onceward_worker),
        (SELECT created_at FROM onceward_job ORDER BY id DESC LIMIT 1), 60000000) - 60000000
WHERE one = 1 AND name = 'copy'
RETURNING 1 AS changed, 1 AS copy, since, lost_from, NULL AS replayed
