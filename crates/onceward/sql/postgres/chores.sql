-- Says by the names of duties what there is to do, so that an idle store is not written to. Reads only.
SELECT
    EXISTS (SELECT 1 FROM onceward.job WHERE state = 'running' AND leased_until < coalesce($1, statement_timestamp())) AS reap,
    EXISTS (SELECT 1 FROM onceward.counter_delta) AS fold_counters,
    EXISTS (SELECT 1 FROM onceward.schedule WHERE paused_at IS NULL AND next_fire_at <= coalesce($1, statement_timestamp())) AS schedules,
    EXISTS (SELECT 1 FROM onceward.job WHERE state = 'dead' AND discard_at <= coalesce($1, statement_timestamp())) AS discard
