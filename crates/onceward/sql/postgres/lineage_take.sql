-- Takes note of the lineage that this connection writes to. Gives a row to the first who finds another one than before;
-- one whose name could not be told (null, or 'unknown' by an older program) may have been this one.
-- The last commit that a standby was given is known until its server is restarted; after that, the last sign of life.
UPDATE onceward.lineage SET
    name = seen.name,
    since = CASE WHEN seen.was IS NULL THEN lineage.since ELSE coalesce($1, statement_timestamp()) END,
    lost_from = CASE WHEN seen.was IS NULL THEN lineage.lost_from
        ELSE coalesce(CASE WHEN seen.was = 'copy' THEN lineage.lost_from END, pg_last_xact_replay_timestamp(),
            (SELECT max(seen_at) FROM onceward.worker), (SELECT created_at FROM onceward.job ORDER BY id DESC LIMIT 1),
            timestamptz 'epoch') - interval '1 minute' END
FROM (SELECT nullif(name, 'unknown') AS was, onceward.lineage_name() AS name
    FROM onceward.lineage WHERE one = 1 OFFSET 0) AS seen
WHERE lineage.one = 1 AND lineage.name IS DISTINCT FROM seen.name AND (seen.name IS NOT NULL OR seen.was = 'copy')
RETURNING seen.was IS NOT NULL AS changed, coalesce(seen.was = 'copy', false) AS copy, lineage.since, lineage.lost_from,
    CASE WHEN $1::timestamptz IS NULL THEN pg_last_xact_replay_timestamp() END AS replayed
